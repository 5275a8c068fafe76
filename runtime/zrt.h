//===- zrt.h - The C ABI between a compiled step and its runtime ----------===//
//
// This header is the only thing that the compiler and the runtime share.  A
// training binary is
//
//   kernels.o   row kernels, one function each, from LowerKernelsToCpu
//   plan.o      the programs of a step, one call of zrt per operation, and the
//               constant `zrt_compiled_plan`, from LowerPlanToRuntime
//   libzrt.a    this interface and main()
//
// Addresses never appear in a plan: an operation names its bytes by tier and
// offset (`zrt_ref`), and the runtime owns one arena per tier, allocated once
// before the first step with exactly the size the memory certificate states.
// Nothing allocates inside a step.
//
// Every rank runs the same plan.  Offsets are the same on all ranks; what
// differs is which slice of a bucket an operation works on: rank r owns
// elements [r, r + 1) x elements / world_size.  Operations that are given a
// whole bucket and work on a slice find the slice inside it.
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

#define ZRT_ABI_VERSION 7u

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

/// What bytes are: ZRT_F64, ZRT_F32, ZRT_BF16, ...
enum {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES) ZRT_##NAME = (NUMBER),
#include "runtime/ElementTypes.def"
};
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

/// An optimizer applied to a bucket, member by member; padding stays as it is.
/// `args` are those of the kernels: parameter, gradient, state slots, scalars,
/// next parameter, next slots.  Each is a scalar (4 bytes), the whole bucket,
/// or the rank's slice of it.  With `sliced` the update works on the rank's
/// slice only: of an argument that holds the whole bucket, on the slice inside
/// it.
typedef struct zrt_update_desc {
  const char *name; ///< "adamw of b3"
  uint32_t bucket;
  uint32_t sliced;
  zrt_kernel_fn plain;   ///< for members without weight decay
  zrt_kernel_fn decayed; ///< for members with it
  uint32_t arg_count;
  uint32_t reserved;
  const zrt_ref *args;
} zrt_update_desc;

/// Sums of squares, in f64, of the rank's slice of a bucket's gradient (f32).
/// Each member's elements in the slice are cut into blocks of
/// ZRT_SQUARES_BLOCK, from the first of them on; block i of the slice, counted
/// over its members, gives partials[i].  Padding is not read.  Partials beyond
/// the slice's last block become zero.
typedef struct zrt_squares_desc {
  const char *name;
  uint32_t bucket;
  uint32_t reserved;
  zrt_ref grad;     ///< the whole bucket, or the rank's slice
  zrt_ref partials; ///< f64
} zrt_squares_desc;
#define ZRT_SQUARES_BLOCK 16384

/// What each thread that multiplies matrices keeps for copies of their blocks,
/// outside the arenas.
#define ZRT_PACKING_BYTES (2 << 20)

enum { ZRT_ALL_GATHER = 0, ZRT_REDUCE_SCATTER = 1, ZRT_ALL_REDUCE = 2 };

/// One collective over all ranks.  It is complete on a rank when its result can
/// be read there and no peer reads that rank's source any more.
///
///   all_gather      source: the rank's slice; result: the whole.  In place
///                   when both are the whole: the slice is found inside.
///   reduce_scatter  source: the whole; result: the rank's slice of
///                   scale x sum over ranks, added in rank order in f32, then
///                   scaled, then (with `accumulate`) added to the result's old
///                   bytes.  In place when both are the whole: only the rank's
///                   slice is written.
///   all_reduce      a few values (at most ZRT_SMALL_BYTES); every rank gets
///                   scale x sum over ranks, in rank order.  In place or not.
typedef struct zrt_collective_desc {
  const char *name; ///< "reduce_scatter of b3", for messages and the ledger
  uint32_t kind;
  zrt_dtype dtype;   ///< f32 or f64
  uint64_t elements; ///< of the whole
  double scale;
  uint32_t accumulate;
  uint32_t reserved;
  uint64_t wire_bytes; ///< predicted: what a rank receives from its peers
  zrt_ref source, result;
} zrt_collective_desc;
#define ZRT_SMALL_BYTES 64

/// Enqueues; the descriptor must outlive the run (plans keep it in .rodata).
zrt_status zrt_launch(zrt_context *ctx, zrt_stream stream,
                      const zrt_launch_desc *launch);

/// Enqueues; only `compute` may use more than one thread.
zrt_status zrt_matmul(zrt_context *ctx, zrt_stream stream,
                      const zrt_matmul_desc *matmul);

/// Enqueues; only `compute` may use more than one thread.
zrt_status zrt_update(zrt_context *ctx, zrt_stream stream,
                      const zrt_update_desc *update);
zrt_status zrt_sum_squares(zrt_context *ctx, zrt_stream stream,
                           const zrt_squares_desc *squares);

/// Enqueues.  All ranks issue the same collectives in the same order.
zrt_status zrt_collective(zrt_context *ctx, zrt_stream stream,
                          const zrt_collective_desc *collective);

/// Enqueues a copy of `from->bytes` bytes; the ranges do not overlap.
zrt_status zrt_copy(zrt_context *ctx, zrt_stream stream, const zrt_ref *from,
                    const zrt_ref *to);

/// Marks a point of `stream`.  Events are numbered from 0 by the program and
/// each is recorded once a run, before any wait for it in program order.
zrt_status zrt_record(zrt_context *ctx, zrt_stream stream, uint32_t event);

/// Holds `stream` until this run's record of `event` has been reached.
zrt_status zrt_wait(zrt_context *ctx, zrt_stream stream, uint32_t event);

//===----------------------------------------------------------------------===//
// What a compiled kernel calls
//===----------------------------------------------------------------------===//

/// Attention of one batch and head on the calling thread:
///
///   out = softmax(scale q k^T) v
///
/// q and out are queries x width, k and v keys x width; rows are contiguous and
/// `..._stride` elements apart.  With `causal`, query i sees keys up to
/// i + keys - queries, and there are at least as many keys as queries.  `lse`
/// (one value per query, or NULL) gets the log of each row's sum of
/// exponentials.  width is at most ZRT_MAX_ATTENTION_WIDTH.
void zrt_attention(int64_t queries, int64_t keys, int64_t width, float scale,
                   int32_t causal, const float *q, int64_t q_stride,
                   const float *k, int64_t k_stride, const float *v,
                   int64_t v_stride, float *out, int64_t out_stride,
                   float *lse);

/// Sets the adjoints of q, k and v, given `grad`, that of out.
void zrt_attention_backward(int64_t queries, int64_t keys, int64_t width,
                            float scale, int32_t causal, const float *grad,
                            int64_t grad_stride, const float *q,
                            int64_t q_stride, const float *k, int64_t k_stride,
                            const float *v, int64_t v_stride, const float *lse,
                            float *dq, int64_t dq_stride, float *dk,
                            int64_t dk_stride, float *dv, int64_t dv_stride);
#define ZRT_MAX_ATTENTION_WIDTH 2048

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

/// One parameter inside a bucket, or some whole rows of one that is split over
/// several buckets; counts are in elements.
typedef struct zrt_member {
  const char *name; ///< the parameter's
  uint32_t rank;    ///< number of dimensions of the parameter
  uint32_t decays;
  const int64_t *shape; ///< of the parameter
  uint64_t first;       ///< element of the parameter that the member starts at
  uint64_t offset, count; ///< place in the bucket
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

/// Persistent bytes: slot "param", an optimizer slot ("m", "v", "momentum"), or
/// "grad" (gradients summed over micro-steps).  Slots other than "param" start
/// as zeros.
typedef struct zrt_state {
  const char *slot;
  uint32_t bucket;
  zrt_dtype dtype;
  uint32_t sharded; ///< 1: `ref` is the rank's slice; 0: the whole bucket
  uint32_t reserved;
  zrt_ref ref;
} zrt_state;

/// A tensor the host writes before each step: samples (f32, i32 or i64),
/// counted by the first dimension, or a scalar (f32, rank 0): "lr", "step"
/// (from 1).  A scalar named like an output is the mean of that output over the
/// runs of ZRT_COUNT.
typedef struct zrt_input {
  const char *name;
  zrt_dtype dtype;
  uint32_t rank;
  const int64_t *shape;
  zrt_ref ref;
  int64_t bound;   ///< integers lie in [0, bound), or are `ignored`;
  int64_t ignored; ///< with bound 0 they may be anything
} zrt_input;

/// A scalar the host reads: "loss" after each program with gradients, of which
/// the step's is the mean; "grad_norm" after ZRT_STEP; others after ZRT_COUNT.
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

/// The programs of a step, in the order in which they run.  With `accumulate`
/// K > 1: `count` (if present) for each of the K batches, then for each batch
/// `micro`, for the last one `step` in its place.  With K = 1 only `step`.
enum {
  ZRT_COUNT = 0, ///< counts what the loss is averaged over
  ZRT_MICRO = 1, ///< forward, backward, gradients summed up
  ZRT_STEP = 2,  ///< the same, and the update
  ZRT_PROGRAM_COUNT = 3
};

/// One program: a function that enqueues everything, and its collectives in
/// program order.
typedef struct zrt_program {
  zrt_status (*run)(zrt_context *ctx); ///< NULL when the plan has none
  uint32_t event_count;
  uint32_t collective_count;
  const zrt_collective_desc *const *collectives;
} zrt_program;

typedef struct zrt_plan {
  uint32_t abi_version;
  uint32_t world_size;
  uint32_t stage;      ///< of ZeRO, 0 to 3
  uint32_t accumulate; ///< micro-steps of a step, K >= 1
  const char *model;   ///< what was compiled, for messages
  const char *options; ///< the compiler's options, for messages
  const char *cpu;     ///< "native (znver4)", "x86-64-v3"
  const char
      *features; ///< comma-separated features the code needs: "avx2,avx512f"
  uint64_t arena_bytes[ZRT_TIER_COUNT];
  /// Peers read the device arena from here to its end; a multiple of 4096, or
  /// arena_bytes[ZRT_DEVICE] when they read nothing.
  uint64_t exported_begin;
  uint32_t bucket_count, state_count, input_count, output_count, category_count;
  uint32_t reserved;
  const zrt_bucket *buckets;
  const zrt_state *states;
  const zrt_input *inputs;
  const zrt_output *outputs;
  const zrt_category *categories;
  zrt_program programs[ZRT_PROGRAM_COUNT];
} zrt_plan;

/// Defined by plan.o.
extern const zrt_plan zrt_compiled_plan;

//===----------------------------------------------------------------------===//
// What main() and tests call
//===----------------------------------------------------------------------===//

/// The ranks of a job (runtime/world/World.h), opaque here.
typedef struct zrt_world zrt_world;

/// Makes a context of `plan`, which outlives it, once this machine is found to
/// be able to run it: version, processor, tiers.  Takes no memory yet.  The
/// context owns its errors, this first one too: `*out_ctx` is only NULL when
/// there is no memory for it, and after a failure it can say why.
zrt_status zrt_create(const zrt_plan *plan, zrt_context **out_ctx);

/// Allocates the arenas of the plan, starts its streams and connects the ranks
/// of `world` (NULL: this process is the only one).  Once; all ranks call it
/// together.  `threads` is the number of threads of `compute` (0: this rank's
/// share of what the host has).
zrt_status zrt_start(zrt_context *ctx, int32_t threads, zrt_world *world);

/// Waits for every stream, then frees all; NULL is allowed.
void zrt_destroy(zrt_context *ctx);

/// Runs a program (ZRT_COUNT, ...) and waits for every stream.
zrt_status zrt_run(zrt_context *ctx, uint32_t program);

/// Host access, and the only one: nobody but the device knows addresses.  Copies
/// the first `bytes` bytes of `ref`, to `to` or from `from`.  Any thread, while
/// no stream works on those bytes, hence between programs on all of them.
zrt_status zrt_read(zrt_context *ctx, const zrt_ref *ref, void *to,
                    uint64_t bytes);
zrt_status zrt_write(zrt_context *ctx, const zrt_ref *ref, const void *from,
                     uint64_t bytes);

/// Bytes allocated for the arena of `tier`.
uint64_t zrt_arena_bytes(const zrt_context *ctx, uint32_t tier);

/// How many threads `compute` has.
int32_t zrt_threads(const zrt_context *ctx);

/// Measures from here on, again from nothing.  No program may be running.
void zrt_profile(zrt_context *ctx);

/// What a run can say of itself, "" when there is nothing to say.
enum {
  ZRT_NOTE = 0,    ///< why ranks of this machine do not share memory
  ZRT_TIMES = 1,   ///< where the time went since zrt_profile: a table
  ZRT_TRAFFIC = 2, ///< what came over the wire since zrt_profile: a table
  /// Which collective received other bytes than the plan predicts.
  ZRT_UNPREDICTED = 3
};
/// Valid until the next call for `ctx`.  No program may be running.
const char *zrt_report(zrt_context *ctx, uint32_t what);

/// The first error of the context, "" when there is none; stays valid.
const char *zrt_error_message(const zrt_context *ctx);

#ifdef __cplusplus
}
#endif

#endif // ZRT_H
