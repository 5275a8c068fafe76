//===- zrt.h - The C ABI between a compiled step and its runtime ----------===//
//
// This header is the only thing that the compiler and the runtime share.  A
// training binary is
//
//   kernels.o   row kernels, one function each           (from
//   LowerKernelsToCpu) plan.o      the step: one call of zrt per operation,
//   (from LowerPlanToRuntime)
//               and the constant `zrt_compiled_plan`
//   libzrt.a    this interface and main()
//
// Addresses never appear in a plan: an operation names its bytes by tier and
// offset (`zrt_ref`), and the runtime owns one arena per tier, allocated once
// before the first step with exactly the size the memory certificate states.
// Nothing allocates inside a step.
//
// Errors are latched: after a failure every call returns the first error and
// does nothing, so a compiled step runs straight through and its caller tests
// once.
//
// Any change to a struct or a signature below raises ZRT_ABI_VERSION; the
// runtime refuses a plan of another version.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_H
#define ZRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZRT_ABI_VERSION 1u

//===----------------------------------------------------------------------===//
// Vocabulary
//===----------------------------------------------------------------------===//

/// Zero is success.  The message of a failure is `zrt_error_message`.
typedef int32_t zrt_status;

/// Where bytes are.  The order is that of `#zero.tier` in the plan.
enum { ZRT_DEVICE = 0, ZRT_HOST = 1, ZRT_NVME = 2, ZRT_TIER_COUNT = 3 };

/// Queues that run in order.  The order is that of `#zero.stream` in the plan.
enum {
  ZRT_COMPUTE = 0,
  ZRT_GATHER = 1,
  ZRT_REDUCE = 2,
  ZRT_H2D = 3,
  ZRT_D2H = 4,
  ZRT_NVME_READ = 5,
  ZRT_NVME_WRITE = 6,
  ZRT_HOST_STREAM = 7,
  ZRT_STREAM_COUNT = 8
};
typedef uint32_t zrt_stream;

enum { ZRT_F32 = 0, ZRT_F64 = 1, ZRT_I32 = 2, ZRT_I64 = 3 };
typedef uint32_t zrt_dtype;

/// `bytes` bytes at `offset` of the arena of `tier`.
typedef struct zrt_ref {
  uint32_t tier;
  uint32_t reserved;
  uint64_t offset;
  uint64_t bytes;
} zrt_ref;

//===----------------------------------------------------------------------===//
// What a compiled step calls
//===----------------------------------------------------------------------===//

/// One run; created by main(), opaque to compiled code.
typedef struct zrt_context zrt_context;

/// A compiled kernel works on units [begin, end) of its outer parallel
/// dimension (rows, columns or elements); units are independent, so the way
/// they are split over threads never changes a bit.  `args` holds one address
/// per operand, results last.
typedef void (*zrt_kernel_fn)(void *const *args, int64_t begin, int64_t end);

/// One launch of a kernel: `extent` units handed out in pieces of `grain`.
typedef struct zrt_launch_desc {
  const char *name; ///< for profiles and messages, e.g. "layer_norm.3"
  zrt_kernel_fn fn;
  int64_t extent;
  int64_t grain;
  uint32_t arg_count;
  uint32_t reserved;
  const zrt_ref *args;
} zrt_launch_desc;

/// C = op(A) op(B) [+ bias] [+ C], row-major, `batch` times.  op(A) is m x k,
/// op(B) is k x n, C is m x n; with `trans_a` A is stored k x m, with `trans_b`
/// B is stored n x k.  Consecutive matrices of a batch lie one after another.
/// `bias` (n elements, added to every row) is used when `has_bias` is set.
/// With `accumulate`, C's old bytes are added.
typedef struct zrt_matmul_desc {
  const char *name;
  zrt_dtype dtype;
  uint32_t trans_a, trans_b, has_bias, accumulate;
  uint32_t reserved;
  int64_t batch, m, n, k;
  zrt_ref a, b, bias, c;
} zrt_matmul_desc;

/// Enqueues; the descriptor must outlive the run (plans keep it in .rodata).
zrt_status zrt_launch(zrt_context *ctx, zrt_stream stream,
                      const zrt_launch_desc *launch);

/// Enqueues; only `compute` may use more than one thread.
zrt_status zrt_matmul(zrt_context *ctx, zrt_stream stream,
                      const zrt_matmul_desc *matmul);

/// Enqueues a copy of `from->bytes` bytes; the ranges do not overlap.
zrt_status zrt_copy(zrt_context *ctx, zrt_stream stream, const zrt_ref *from,
                    const zrt_ref *to);

/// Marks a point of `stream`.  Events are numbered from 0 by the plan and each
/// is recorded once a step, before any wait for it in program order.
zrt_status zrt_record(zrt_context *ctx, zrt_stream stream, uint32_t event);

/// Holds `stream` until this step's record of `event` has been reached.
zrt_status zrt_wait(zrt_context *ctx, zrt_stream stream, uint32_t event);

//===----------------------------------------------------------------------===//
// What a compiled kernel calls
//===----------------------------------------------------------------------===//

/// C = alpha op(A) op(B) + beta C on the calling thread, row-major with leading
/// dimensions in elements; for tiles inside kernels (attention).
void zrt_sgemm_tile(int32_t trans_a, int32_t trans_b, int64_t m, int64_t n,
                    int64_t k, float alpha, const float *a, int64_t lda,
                    const float *b, int64_t ldb, float beta, float *c,
                    int64_t ldc);

//===----------------------------------------------------------------------===//
// What a compiled plan says about itself
//===----------------------------------------------------------------------===//

enum { ZRT_INIT_CONSTANT = 0, ZRT_INIT_NORMAL = 1, ZRT_INIT_UNIFORM = 2 };

/// How a parameter starts: constant `a`; normal with mean `a` and standard
/// deviation `b`; uniform in [a, b).
typedef struct zrt_init {
  uint32_t kind;
  uint32_t reserved;
  double a, b;
} zrt_init;

/// One parameter inside a bucket; `offset` and `count` are in elements.
typedef struct zrt_member {
  const char *name;
  uint32_t rank; ///< number of dimensions
  uint32_t decays;
  const int64_t *shape;
  uint64_t offset, count;
  zrt_init init;
} zrt_member;

/// A flat run of members; `elements` includes padding.
typedef struct zrt_bucket {
  const char *name;
  uint64_t elements;
  uint32_t member_count;
  uint32_t reserved;
  const zrt_member *members;
} zrt_bucket;

/// Persistent bytes: slot "param" or an optimizer slot ("m", "v", "momentum").
/// Slots other than "param" start as zeros.
typedef struct zrt_state {
  const char *slot;
  uint32_t bucket;
  zrt_dtype dtype;
  zrt_ref ref;
} zrt_state;

/// A tensor the host writes before each step: "tokens" or "targets" (i32,
/// batch x sequence), or a scalar (f32, rank 0): "lr", "step" (from 1).
typedef struct zrt_input {
  const char *name;
  zrt_dtype dtype;
  uint32_t rank;
  const int64_t *shape;
  zrt_ref ref;
} zrt_input;

/// A scalar the host reads after each step: "loss", "grad_norm" (f32).
typedef struct zrt_output {
  const char *name;
  zrt_dtype dtype;
  uint32_t reserved;
  zrt_ref ref;
} zrt_output;

/// One line of the memory certificate: bytes at the peak.
typedef struct zrt_category {
  const char *name;
  uint64_t bytes;
} zrt_category;

typedef struct zrt_plan {
  uint32_t abi_version;
  uint32_t world_size;
  const char *model;   ///< what was compiled, for messages
  const char *options; ///< the compiler's options, for messages
  const char *cpu;     ///< "native (znver4)", "x86-64-v3"
  const char
      *features; ///< comma-separated features the code needs: "avx2,avx512f"
  int64_t batch, seq; ///< shape of "tokens"
  int64_t vocab;      ///< token ids are below this; 0 when unknown
  uint64_t arena_bytes[ZRT_TIER_COUNT];
  uint32_t event_count;
  uint32_t bucket_count, state_count, input_count, output_count, category_count;
  const zrt_bucket *buckets;
  const zrt_state *states;
  const zrt_input *inputs;
  const zrt_output *outputs;
  const zrt_category *categories;
  zrt_status (*step)(zrt_context *ctx);
} zrt_plan;

/// Defined by plan.o.
extern const zrt_plan zrt_compiled_plan;

//===----------------------------------------------------------------------===//
// What main() and tests call
//===----------------------------------------------------------------------===//

/// Allocates the arenas of `plan` and starts its streams; `threads` is the
/// number of threads of `compute` (0: all the process may use).
zrt_status zrt_create(const zrt_plan *plan, int32_t threads,
                      zrt_context **out_ctx);

/// Waits for every stream, then frees all; NULL is allowed.
void zrt_destroy(zrt_context *ctx);

/// Runs plan->step and waits for every stream.
zrt_status zrt_run_step(zrt_context *ctx);

/// The address of `ref`; valid until zrt_destroy.
void *zrt_address(zrt_context *ctx, const zrt_ref *ref);

/// Bytes allocated for the arena of `tier`.
uint64_t zrt_arena_bytes(const zrt_context *ctx, uint32_t tier);

/// The latched error, or the last failure of zrt_create; "" when there is none.
const char *zrt_error_message(const zrt_context *ctx);

#ifdef __cplusplus
}
#endif

#endif // ZRT_H
