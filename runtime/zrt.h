//===- zrt.h - The C ABI between a compiled step and its runtime ----------===//
//
// What the compiler and the runtime share.  A training program is
//
//   zrt_program  this interface and main()
//   plan.so      loaded by it, and linked from
//     kernels.o    row kernels, one function each, from CpuPipeline
//     plan.o       the constant `zrt_compiled_plan`, from PlanDescription: the
//                  programs of a step, and what there is to know about them
//
// A plan is data.  A program is a table of operations; each names a stream, a
// kind, and a descriptor of that kind.  The runtime looks at every entry once,
// at the start, and then walks the table in every step; who traces, measures or
// prints a program reads the same table.
//
// Addresses never appear in a plan: an operation names its bytes by tier and
// offset (`zrt_ref`), and the runtime owns one arena per tier, allocated once
// before the first step with exactly the size the memory certificate states.
// Nothing allocates inside a step.
//
// Every rank runs the same plan.  Offsets are the same on all ranks; what
// differs is which slice of a bucket an operation works on: rank r owns
// elements [r, r + 1) x elements / world_size.
//
// Errors are latched: after a failure every call returns the first error and
// does nothing, and streams drop what is left of the program.
//
// The structs are in ZrtStructs.def, the element types in ElementTypes.def.
// Any change to a struct or a signature raises ZRT_ABI_VERSION; the runtime
// refuses a plan of another version.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZRT_ABI_VERSION 24u

//===----------------------------------------------------------------------===//
// Vocabulary
//===----------------------------------------------------------------------===//

/// Zero is success.  The message of a failure is `zrt_error_message`.
typedef int32_t zrt_status;

/// Where bytes are.  The order is that of `#zero.tier` in the plan.
enum { ZRT_DEVICE = 0, ZRT_HOST = 1, ZRT_NVME = 2, ZRT_TIER_COUNT = 3 };

/// What nvme is read and written in.
#define ZRT_NVME_BLOCK 4096

/// What a stream is for.  The order is that of `#zero.stream` in the plan.
/// Operations on `compute` and on `host` may use many threads, on all others
/// one.  A copy from one tier to another runs on the stream of its link:
/// host to device on ZRT_H2D, device to host on ZRT_D2H, nvme to host on
/// ZRT_NVME_READ, host to nvme on ZRT_NVME_WRITE.
enum {
  ZRT_COMPUTE = 0,
  ZRT_GATHER = 1,
  ZRT_REDUCE = 2,
  ZRT_H2D = 3,
  ZRT_D2H = 4,
  ZRT_NVME_READ = 5,
  ZRT_NVME_WRITE = 6,
  ZRT_HOST_STREAM = 7,
  ZRT_STREAM_CLASS_COUNT = 8
};
/// A stream of a plan: its number in `zrt_plan.streams`.
typedef uint32_t zrt_stream;
#define ZRT_MAX_STREAMS 16

/// What bytes are: ZRT_F64, ZRT_F32, ZRT_BF16, ...
enum {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES) ZRT_##NAME = (NUMBER),
#include "runtime/ElementTypes.def"
};
typedef uint32_t zrt_dtype;

/// What the bytes of an operand are, and how much of them an operation works
/// on.  What belongs to a bucket holds its `elements`, or one rank's share.
///
///                           bytes hold            the operation works on
enum {
  ZRT_SCALAR = 1,         ///< one value           that
  ZRT_MEMBERS = 2,        ///< a tensor            all of it
  ZRT_WHOLE = 3,          ///< the whole bucket    all of it
  ZRT_SLICE = 4,          ///< the rank's slice    all of it
  ZRT_SLICE_OF_WHOLE = 5, ///< the whole bucket    the rank's slice
  ZRT_EXTENT_END = 6
};

/// Kinds of operations.
enum {
  ZRT_LAUNCH = 0,
  ZRT_MATMUL = 1,
  ZRT_UPDATE = 2,
  ZRT_SQUARES = 3,
  ZRT_COLLECTIVE = 4,
  ZRT_COPY = 5,
  ZRT_RECORD = 6,
  ZRT_WAIT = 7,
  ZRT_GROUPED_MATMUL = 8,
  ZRT_DEQUANTIZE = 9,
  ZRT_KIND_COUNT = 10
};

enum { ZRT_ALL_GATHER = 0, ZRT_REDUCE_SCATTER = 1, ZRT_ALL_REDUCE = 2 };
/// The most bytes of an all_reduce.
#define ZRT_SMALL_BYTES 64

/// Elements of a gradient whose squares make one partial sum.
#define ZRT_SQUARES_BLOCK 16384

/// How parameters are packed (docs/lora.md has the formats).
enum { ZRT_UNPACKED = 0, ZRT_NF4 = 1, ZRT_INT8 = 2, ZRT_PACKING_COUNT = 3 };
/// The elements of a packed parameter, row by row, are cut into blocks of
/// ZRT_PACKED_BLOCK, which have a scale each, and ZRT_PACKED_GROUP blocks make a
/// group.  Groups follow each other; the last one may have fewer blocks, of which
/// the last is filled up with zeros.  A group of b blocks is
///
///   nf4    32 b codes of two elements, mean f32, range f32, b codes of scales
///   int8   64 b codes of an element, b scales f32
#define ZRT_PACKED_BLOCK 64
#define ZRT_PACKED_GROUP 256

/// Bytes of `elements` elements from the start of a group on.
static inline uint64_t zrt_packed_bytes(uint32_t packing, uint64_t elements) {
  const uint64_t blocks =
      elements / ZRT_PACKED_BLOCK + (elements % ZRT_PACKED_BLOCK != 0);
  const uint64_t groups =
      blocks / ZRT_PACKED_GROUP + (blocks % ZRT_PACKED_GROUP != 0);
  return packing == ZRT_NF4    ? 33 * blocks + 8 * groups
         : packing == ZRT_INT8 ? 68 * blocks
                               : 0;
}

/// What each thread that multiplies matrices keeps for copies of their blocks,
/// outside the arenas.
#define ZRT_PACKING_BYTES (2 << 20)
/// What is copied to be saved waits in blocks of so many bytes, outside the
/// arenas; of what lies on nvme at most ZRT_CHECKPOINT_STREAMED bytes wait.
#define ZRT_CHECKPOINT_BLOCK (4 << 20)
#define ZRT_CHECKPOINT_STREAMED (64 << 20)

enum { ZRT_INIT_CONSTANT = 0, ZRT_INIT_NORMAL = 1, ZRT_INIT_UNIFORM = 2 };

/// The programs of a plan, in the order in which they run.  With `accumulate`
/// K > 1: `count` (if present) for each of the K batches, then for each batch
/// `micro`, for the last one `step` in its place; or, if the plan is `layered`,
/// `count` and `step` once for all batches.  With K = 1 only `step`; or,
/// where updates are those of the step before, `first` for the first step,
/// `step` for all others, and `flush` before weights are read.
enum {
  ZRT_COUNT = 0, ///< counts what the loss is averaged over
  ZRT_MICRO = 1, ///< forward, backward, gradients summed up
  ZRT_FIRST = 2, ///< forward, backward; the update is left
  ZRT_STEP = 3,  ///< forward, backward, update: its own, or first what was left
  ZRT_FLUSH = 4, ///< the update that was left
  ZRT_EVAL = 5,  ///< forward alone: the loss of other batches
  ZRT_PREDICT = 6, ///< forward alone: a row of logits of each sequence
  ZRT_PROGRAM_COUNT = 7
};

/// A compiled kernel works on units [begin, end) of its outer parallel
/// dimension (rows, columns or elements); units are independent, so the way
/// they are split over threads never changes a bit.  `args` holds one address
/// per operand, results last.
typedef void (*zrt_kernel_fn)(void *const *args, int64_t begin, int64_t end);

/// Makes the device of a plan (runtime/device/MakeDevice.h), opaque here.
typedef struct zrt_device_request zrt_device_request;
typedef void (*zrt_device_maker)(zrt_device_request *request);

//===----------------------------------------------------------------------===//
// What a plan is made of
//===----------------------------------------------------------------------===//

#define ZRT_STRUCT(NAME)                                                       \
  typedef struct NAME NAME;                                                    \
  struct NAME {
#define ZRT_FIELD(NAME, TYPE, FIELD) TYPE FIELD;
#define ZRT_ARRAY(NAME, TYPE, FIELD, COUNT) TYPE FIELD[COUNT];
#define ZRT_END(NAME)                                                          \
  }                                                                            \
  ;
#include "runtime/ZrtStructs.def"

/// Defined by plan.o; a program finds it by its name in plan.so.
extern const zrt_plan zrt_compiled_plan;

//===----------------------------------------------------------------------===//
// What a compiled kernel calls
//===----------------------------------------------------------------------===//

/// Attention of one batch and head on the calling thread:
///
///   out = softmax(scale q k^T) v
///
/// q and out are queries x width, k and v keys x width, all of `dtype`: f32, bf16
/// or f16; rows are contiguous and `..._stride` elements apart.  With a `soft_cap`
/// that is not 0, scores become soft_cap tanh(score / soft_cap).  With `causal`,
/// query i sees keys up to last(i) = i + keys - queries, and there are at least as
/// many keys as queries; with a `window` that is not 0, of these the last so many;
/// with `starts`, which is not NULL, of these those from starts[i] on, and last(i)
/// in any case.  `lse` (one value per query, or NULL) gets the log of each row's
/// sum of exponentials.  width is at most ZRT_MAX_ATTENTION_WIDTH.  Sums are in
/// f32; results of 16 bits are rounded once.
void zrt_attention(int64_t queries, int64_t keys, int64_t width, float scale,
                   float soft_cap, int32_t causal, int64_t window,
                   const int32_t *starts, zrt_dtype dtype, const void *q,
                   int64_t q_stride, const void *k, int64_t k_stride,
                   const void *v, int64_t v_stride, void *out,
                   int64_t out_stride, float *lse);

/// Sets the adjoints of q, k and v, given `grad`, that of out; all of `dtype`.
/// `heads` query heads read these keys and values: `..._head` elements apart in
/// q, grad, dq and lse.  dk and dv are sums over them, in order.  Where results
/// have 16 bits, heads x queries is at most ZRT_MAX_ATTENTION_QUERIES.
void zrt_attention_backward(
    int64_t queries, int64_t keys, int64_t width, float scale, float soft_cap,
    int32_t causal, int64_t window, const int32_t *starts, zrt_dtype dtype,
    int64_t heads, const void *grad, int64_t grad_stride, int64_t grad_head,
    const void *q, int64_t q_stride, int64_t q_head, const void *k,
    int64_t k_stride, const void *v, int64_t v_stride, const float *lse,
    int64_t lse_head, void *dq, int64_t dq_stride, int64_t dq_head, void *dk,
    int64_t dk_stride, void *dv, int64_t dv_stride);
#define ZRT_MAX_ATTENTION_QUERIES (1 << 17)
#define ZRT_MAX_ATTENTION_WIDTH 2048

//===----------------------------------------------------------------------===//
// What main() and tests call
//===----------------------------------------------------------------------===//

/// One run.
typedef struct zrt_context zrt_context;

/// The ranks of a job (runtime/world/World.h), opaque here.
typedef struct zrt_world zrt_world;

/// Makes a context of `plan`, which outlives it, once every entry of its tables
/// is found to be sound, and this machine to be able to run it: version,
/// processor, tiers.  Takes no memory yet.  The context owns its errors, this
/// first one too: `*out_ctx` is only NULL when there is no memory for it, and
/// after a failure it can say why.
zrt_status zrt_create(const zrt_plan *plan, zrt_context **out_ctx);

/// How a run is set up; all zeros will do for a plan without nvme.
typedef struct zrt_setup {
  int32_t threads;      ///< of `compute`; 0: this rank's share of the host's
  int32_t host_threads; ///< of a stream of class host; 0: as many as `compute`
  /// Folders of the nvme tier, separated by commas, over which it is striped;
  /// NULL where the plan has no such tier.
  const char *nvme_path;
  uint32_t verify_reads; ///< 1: what is read from nvme is compared with a hash
  uint32_t reserved;
} zrt_setup;

/// Allocates the arenas of the plan, starts its streams and connects the ranks
/// of `world` (NULL: this process is the only one).  Refuses operations that
/// the device cannot do.  Once; all ranks call it together.
zrt_status zrt_start(zrt_context *ctx, const zrt_setup *setup,
                     zrt_world *world);

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

/// How many threads `compute` has, and each stream of class host.
int32_t zrt_threads(const zrt_context *ctx);
int32_t zrt_host_threads(const zrt_context *ctx);

/// Flops by the second that matrix products of this type reach when nothing else
/// runs, with the threads of `compute`: measured, for about 0.1 s.  No program may
/// be running.
double zrt_product_rate(zrt_context *ctx, zrt_dtype dtype);

/// Measures from here on, again from nothing.  No program may be running.
void zrt_profile(zrt_context *ctx);

/// What a run can say of itself, "" when there is nothing to say.
enum {
  /// Why ranks of this machine do not share memory, or the nvme tier is slower
  /// than it could be: a line each.
  ZRT_NOTE = 0,
  ZRT_TIMES = 1, ///< where the time went since zrt_profile: a table
  /// What came over the wire, and went from tier to tier, since zrt_profile:
  /// tables.
  ZRT_TRAFFIC = 2,
  /// Which collective received, or which copy between tiers moved, other bytes
  /// than the plan predicts.
  ZRT_UNPREDICTED = 3
};
/// Valid until the next call for `ctx`.  No program may be running.
const char *zrt_report(zrt_context *ctx, uint32_t what);

/// The first error of the context, "" when there is none; stays valid.
const char *zrt_error_message(const zrt_context *ctx);

#ifdef __cplusplus
}
#endif
