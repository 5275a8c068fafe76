//===- zrt.h - C ABI between a compiled step and the runtime --------------===//
//
// The interface between the compiler and the runtime.  A training program has
//
//   zrt_program  this interface and main()
//   plan.so      loaded by it; linked from
//     kernels.o    row kernels, one function each, from KernelPipeline
//     plan.o       the constant `zrt_compiled_plan`, from PlanDescription: the
//                  programs of a step, and all data about them
//
// A plan is data.  A program is a table of operations; each names a stream, a
// kind, and a descriptor of that kind.  The runtime checks every entry once, at
// the start, and then walks the table in every step.  Tracing, profiling and
// printing read the same table.
//
// Addresses never appear in a plan: an operation names its bytes by tier and
// offset (`zrt_ref`), and the runtime owns one arena per tier, allocated once
// before the first step with exactly the size the memory certificate states.
// Nothing allocates inside a step.
//
// Every rank runs the same plan with the same offsets.  Ranks differ only in
// the slice of a bucket that an operation works on.  Ranks may be in groups of
// group_size: rank r is member r mod group_size of group r / group_size.  A
// bucket is cut into a part for each member, and each part into a slice for
// each group; without groups slice r is that of rank r:
//
//   parts     |     member 0    |     member 1    |
//   slices    | rank 0 | rank 2 | rank 1 | rank 3 |   of 4, group_size 2
//
// Errors are latched: after a failure every call does nothing and returns the
// first error, and streams drop the rest of the program.
//
// The structs are in ZrtStructs.def, the kinds of operations in
// OperationKinds.def, the element types in ElementTypes.def.
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

#define ZRT_ABI_VERSION 38u

//===----------------------------------------------------------------------===//
// Vocabulary
//===----------------------------------------------------------------------===//

/// Zero is success.  `zrt_error_message` returns the message of a failure.
typedef int32_t zrt_status;

/// The tier of bytes.  The order is that of `#zero.tier` in the plan.
enum { ZRT_DEVICE = 0, ZRT_HOST = 1, ZRT_NVME = 2, ZRT_TIER_COUNT = 3 };

/// The unit of reads and writes of the NVMe tier.
#define ZRT_NVME_BLOCK 4096

/// The class of a stream.  The order is that of `#zero.stream` in the plan.
/// Operations on `compute` and `host` may use many threads, all others one.  A
/// copy between tiers runs on the stream of their link: host to device on
/// ZRT_H2D, device to host on ZRT_D2H, nvme to host on ZRT_NVME_READ, host to
/// nvme on ZRT_NVME_WRITE.
enum {
  ZRT_COMPUTE = 0,
  ZRT_GATHER = 1,
  ZRT_REDUCE = 2,
  ZRT_H2D = 3,
  ZRT_D2H = 4,
  ZRT_NVME_READ = 5,
  ZRT_NVME_WRITE = 6,
  ZRT_HOST_STREAM = 7,
  ZRT_GATHER_GROUPS = 8, ///< collectives over groups
  ZRT_REDUCE_GROUPS = 9,
  ZRT_CONTEXT = 10, ///< collectives between ranks that share a sequence
  ZRT_STREAM_CLASS_COUNT = 11
};
/// A stream of a plan: its number in `zrt_plan.streams`.
typedef uint32_t zrt_stream;
#define ZRT_MAX_STREAMS 16

/// Element types: ZRT_F64, ZRT_F32, ZRT_BF16, ...
enum {
#define ZRT_ELEMENT_TYPE(NUMBER, NAME, SPELLING, BYTES) ZRT_##NAME = (NUMBER),
#include "abi/ElementTypes.def"
};
typedef uint32_t zrt_dtype;
/// The numbers of a block, an element of ZRT_BLOCK8 or ZRT_BLOCK4.
#define ZRT_BLOCK_ELEMENTS 256

/// The extent of an operand: the content of its bytes, and the part of them
/// that an operation works on.  An operand of a bucket holds all its
/// `elements`, or one share of them.
///
///                           bytes hold            the operation works on
enum {
  ZRT_SCALAR = 1,         ///< one value           that
  ZRT_MEMBERS = 2,        ///< a tensor            all of it
  ZRT_WHOLE = 3,          ///< the whole bucket    all of it
  ZRT_SLICE = 4,          ///< the rank's slice    all of it
  ZRT_SLICE_OF_WHOLE = 5, ///< the whole bucket    the rank's slice
  ZRT_PART = 6,           ///< the member's part   all of it
  ZRT_PART_OF_WHOLE = 7,  ///< the whole bucket    the member's part
  ZRT_SLICE_OF_PART = 8,  ///< the member's part   the rank's slice
  ZRT_EXTENT_END = 9
};

/// Kinds of operations: ZRT_LAUNCH, ZRT_MATMUL, ...
enum {
#define ZRT_DEVICE_KIND(NUMBER, NAME, SPELLING, OPERANDS) ZRT_##NAME = (NUMBER),
#define ZRT_MOVE_KIND(NUMBER, NAME, SPELLING, OPERANDS) ZRT_##NAME = (NUMBER),
#define ZRT_EVENT_KIND(NUMBER, NAME, SPELLING) ZRT_##NAME = (NUMBER),
#include "abi/OperationKinds.def"
  ZRT_KIND_COUNT // one more than the last
};

/// Kinds of collectives: ZRT_ALL_GATHER, ZRT_REDUCE_SCATTER, ...
enum {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  ZRT_##NAME = (NUMBER),
#include "abi/CollectiveKinds.def"
};
/// The order in which a collective adds: one after the other by rank; as a
/// binary tree, neighbours first, of ranks or of the ranks of slices 0, 1, ...
enum { ZRT_IN_RANK_ORDER = 0, ZRT_IN_TREE = 1, ZRT_IN_TREE_OF_SLICES = 2 };
/// The ranks that a collective is between: all; the members of the rank's
/// group; the ranks with its number in their groups, in the groups' order; the
/// ranks that share a sequence with it.
enum {
  ZRT_OVER_ALL = 0,
  ZRT_OVER_MEMBERS = 1,
  ZRT_OVER_GROUPS = 2,
  ZRT_OVER_CONTEXT = 3,
  ZRT_OVER_COUNT = 4
};
/// The largest all_reduce in bytes.
#define ZRT_SMALL_BYTES 64

/// The number of elements of a gradient whose squares make one partial sum.
#define ZRT_SQUARES_BLOCK 16384
/// The most elements that a block of a GPU updates.
#define ZRT_UPDATE_BLOCK 8192

/// Packed forms of parameters (docs/lora.md has the formats).
enum { ZRT_UNPACKED = 0, ZRT_NF4 = 1, ZRT_INT8 = 2, ZRT_PACKING_COUNT = 3 };
/// A packed parameter is cut, row by row, into blocks of ZRT_PACKED_BLOCK
/// elements, each with a scale.  Every ZRT_PACKED_RUN blocks form a run; runs
/// are stored one after another.  The last may have fewer blocks; its last
/// block is padded with zeros.  A run of b blocks is
///
///   nf4    32 b codes of two elements, mean f32, range f32, b codes of scales
///   int8   64 b codes of an element, b scales f32
#define ZRT_PACKED_BLOCK 64
#define ZRT_PACKED_RUN 256
/// The largest m and k of a product with a packed B.
#define ZRT_PACKED_ROWS 8
#define ZRT_PACKED_DEPTH 14336

/// Returns the bytes of `elements` elements from the start of a run on.
static inline uint64_t zrt_packed_bytes(uint32_t packing, uint64_t elements) {
  const uint64_t blocks =
      elements / ZRT_PACKED_BLOCK + (elements % ZRT_PACKED_BLOCK != 0);
  const uint64_t runs =
      blocks / ZRT_PACKED_RUN + (blocks % ZRT_PACKED_RUN != 0);
  return packing == ZRT_NF4    ? 33 * blocks + 8 * runs
         : packing == ZRT_INT8 ? 68 * blocks
                               : 0;
}

/// Bytes that each thread which multiplies matrices keeps outside the arenas
/// for copies of matrix blocks.
#define ZRT_PACKING_BYTES (4 << 20)
/// Data to be saved waits in blocks of this many bytes, outside the arenas.  Of
/// the data on nvme, at most ZRT_CHECKPOINT_STREAMED bytes wait.
#define ZRT_CHECKPOINT_BLOCK (4 << 20)
#define ZRT_CHECKPOINT_STREAMED (64 << 20)

enum { ZRT_INIT_CONSTANT = 0, ZRT_INIT_NORMAL = 1, ZRT_INIT_UNIFORM = 2 };

/// The programs of a plan, in the order in which they run.  With `accumulate`
/// K > 1: `count` (if present) for each of the K batches, then `micro` for each
/// batch but the last and `step` for the last; or, if the plan is `layered`,
/// `count` and `step` once for all batches.  With K = 1 only `step`; or, if
/// each step applies the update of the step before, `first` for the first step,
/// `step` for all others, and `flush` before weights are read.
enum {
  ZRT_COUNT = 0,   ///< counts the elements that the loss averages
  ZRT_MICRO = 1,   ///< forward, backward, adds up the gradients
  ZRT_FIRST = 2,   ///< forward, backward; defers the update
  ZRT_STEP = 3,    ///< forward, backward, its update; or the deferred one first
  ZRT_FLUSH = 4,   ///< the deferred update
  ZRT_EVAL = 5,    ///< only forward: the loss of other batches
  ZRT_PREFILL = 6, ///< only forward: the next positions of each slot
  ZRT_DECODE = 7,  ///< the same for one position
  ZRT_SCORE = 8,   ///< only forward: values of samples
  ZRT_PROGRAM_COUNT = 9
};

/// A compiled kernel works on units [begin, end) of its outer parallel
/// dimension (rows, columns or elements).  Units are independent, so their
/// distribution over threads does not change the result.  `args` holds one
/// address per operand, results last.
typedef void (*zrt_kernel_fn)(void *const *args, int64_t begin, int64_t end);

/// Makes the device of a plan (runtime/device/MakeDevice.h), opaque here.
typedef struct zrt_device_request zrt_device_request;
typedef void (*zrt_device_maker)(zrt_device_request *request);

//===----------------------------------------------------------------------===//
// Structs of a plan
//===----------------------------------------------------------------------===//

#define ZRT_STRUCT(NAME)                                                       \
  typedef struct NAME NAME;                                                    \
  struct NAME {
#define ZRT_FIELD(NAME, TYPE, FIELD) TYPE FIELD;
#define ZRT_ARRAY(NAME, TYPE, FIELD, COUNT) TYPE FIELD[COUNT];
#define ZRT_END(NAME)                                                          \
  }                                                                            \
  ;
#include "abi/ZrtStructs.def"

/// Defined by plan.o; a program looks it up by name in plan.so.
extern const zrt_plan zrt_compiled_plan;

//===----------------------------------------------------------------------===//
// Functions that compiled kernels call
//===----------------------------------------------------------------------===//

/// Computes attention of one batch and head on the calling thread:
///
///   out = softmax(scale q k^T) v
///
/// q and out are queries x width, k and v are keys x width, all of `dtype`:
/// f32, bf16 or f16.  Each row is contiguous; rows are `..._stride` elements
/// apart.  If `soft_cap` is not 0, scores become soft_cap
/// tanh(score / soft_cap).  With `causal`, query i sees the keys up to
/// last(i) = i + keys - queries, where keys >= queries.  If `window` is not 0,
/// the query sees only the last `window` of these.  If `starts` is not NULL, it
/// sees only those from starts[i] on, but always last(i).  If `key` is not
/// NULL, the softmax has dropout of `rate` (numerics/Dropout.h); the element of
/// query i and key j has the number (head x queries + i) x keys + j.  `lse`
/// (one value per query, or NULL) receives the log of each row's sum of
/// exponentials. width is at most ZRT_MAX_ATTENTION_WIDTH.  Sums are in f32;
/// 16-bit results are rounded once.
///
/// `products` is a zrt::Kernel16 (numerics/Kernel16.h).  If it multiplies
/// numbers of `dtype` without widening them, and heads are at most 256 wide,
/// the operands of all products are of `dtype`, also probabilities and the
/// gradients of scores.
void zrt_attention(int64_t queries, int64_t keys, int64_t width, float scale,
                   float soft_cap, int32_t causal, int64_t window,
                   const int32_t *starts, const int64_t *key, int64_t place,
                   double rate, int64_t head, zrt_dtype dtype, int32_t products,
                   const void *q, int64_t q_stride, const void *k,
                   int64_t k_stride, const void *v, int64_t v_stride, void *out,
                   int64_t out_stride, float *lse);

/// Computes dq, dk and dv, the gradients of q, k and v, from `grad`, the
/// gradient of out; all are of `dtype`.  `heads` query heads share these keys
/// and values, from `head` on; consecutive heads are `..._head` elements apart
/// in q, grad, dq, and in lse and delta alike.  delta has the sums of grad x
/// out of each query.  dk and dv are summed over the heads in order.
void zrt_attention_backward(
    int64_t queries, int64_t keys, int64_t width, float scale, float soft_cap,
    int32_t causal, int64_t window, const int32_t *starts, const int64_t *key,
    int64_t place, double rate, int64_t head, zrt_dtype dtype, int32_t products,
    int64_t heads, const void *grad, int64_t grad_stride, int64_t grad_head,
    const void *q, int64_t q_stride, int64_t q_head, const void *k,
    int64_t k_stride, const void *v, int64_t v_stride, const float *lse,
    const float *delta, int64_t stats_head, void *dq, int64_t dq_stride,
    int64_t dq_head, void *dk, int64_t dk_stride, void *dv, int64_t dv_stride);
#define ZRT_MAX_ATTENTION_WIDTH 2048

/// Computes `delta` of zrt_attention_backward for `heads` query heads: the sums
/// of grad x out of each query, in f32 and in the order of columns.  Those of
/// consecutive heads are `sums_head` apart.
void zrt_attention_sums(int64_t queries, int64_t width, zrt_dtype dtype,
                        int32_t products, int64_t heads, const void *grad,
                        int64_t grad_stride, int64_t grad_head, const void *out,
                        int64_t out_stride, int64_t out_head, float *sums,
                        int64_t sums_head);

/// Attends to the positions of a sequence that are known already, on the
/// calling thread: for one sequence, and the `heads` query heads that read one
/// head of keys.  `keys` and `values` are caches of positions x width.
///
///   rows i < *count of k and v are copied to rows *begin + i of the caches
///   out[h, i] = softmax(scale q[h, i] keys^T) values    for i < *count
///   out[h, i] = 0                                       for others
///
/// Query i is at position *begin + i and sees the keys up to its own.  If
/// `window` is not 0, it sees only the last `window` of these.  If `start` is
/// not NULL, it sees only those from *start on, but always its own.  The result
/// has the bits of zrt_attention with `positions` queries and keys.
///
/// q and out are queries x width for each head, consecutive heads are
/// `..._head` elements apart; k and v are queries x width.  Rows, types and
/// soft_cap are as in zrt_attention.  *begin is clamped to [0, positions], and
/// *count to [0, min(queries, positions - *begin)].  Rows of the caches that no
/// query sees may have any contents.
void zrt_cached_attention(int64_t queries, int64_t positions, int64_t width,
                          float scale, float soft_cap, int64_t window,
                          const int32_t *begin, const int32_t *count,
                          const int32_t *start, zrt_dtype dtype,
                          int32_t products, int64_t heads, const void *q,
                          int64_t q_stride, int64_t q_head, const void *k,
                          int64_t k_stride, const void *v, int64_t v_stride,
                          void *keys, int64_t keys_stride, void *values,
                          int64_t values_stride, void *out, int64_t out_stride,
                          int64_t out_head);

/// Computes the gated delta rule of one batch and one head of values, on the
/// calling thread; the formulas are those of nn.gated_delta_rule.
///
/// q and k are positions x key_width, v and out are positions x value_width;
/// `gate` and `beta` have one number per position, and `beta` is NULL where
/// u = v.  Each row is contiguous; rows are `..._stride` elements apart.  If
/// `starts` is not NULL, a document begins where starts[i] >= i.  `states` gets
/// the state before each chunk of 64 positions, key_width x value_width, or is
/// NULL.  Widths are at most ZRT_MAX_DELTA_WIDTH.
void zrt_gated_delta_rule(int64_t positions, int64_t key_width,
                          int64_t value_width, const int32_t *starts,
                          const float *q, int64_t q_stride, const float *k,
                          int64_t k_stride, const float *v, int64_t v_stride,
                          const float *gate, int64_t gate_stride,
                          const float *beta, int64_t beta_stride, float *out,
                          int64_t out_stride, float *states);

/// Computes the gradients of q, k, v, the gates and beta from `grad`, the
/// gradient of out, and from the states.  `heads` heads of values share q and
/// k; consecutive heads are `..._head` elements apart.  dq and dk are sums over
/// the heads, in order.
void zrt_gated_delta_rule_backward(
    int64_t positions, int64_t key_width, int64_t value_width,
    const int32_t *starts, int64_t heads, const float *grad,
    int64_t grad_stride, int64_t grad_head, const float *q, int64_t q_stride,
    const float *k, int64_t k_stride, const float *v, int64_t v_stride,
    int64_t v_head, const float *gate, int64_t gate_stride, int64_t gate_head,
    const float *beta, int64_t beta_stride, int64_t beta_head,
    const float *states, int64_t states_head, float *dq, int64_t dq_stride,
    float *dk, int64_t dk_stride, float *dv, int64_t dv_stride, int64_t dv_head,
    float *dgate, int64_t dgate_stride, int64_t dgate_head, float *dbeta,
    int64_t dbeta_stride, int64_t dbeta_head);
#define ZRT_MAX_DELTA_WIDTH 256

/// Goes on with the causal convolution of a sequence, on the calling thread;
/// the formulas are those of nn.cached_causal_conv.  The first *count rows of x
/// and out, of `channels` numbers, are those of the positions from *begin on;
/// other rows of out become 0.  `weight` is channels x taps, and `inputs`, a
/// cache of the last `kept` positions, kept x channels; kept is at least `rows`
/// and `taps`.  If `start` is not NULL, positions before *start are not read.
/// *begin is clamped to 0 or more, and *count to [0, rows].
void zrt_cached_causal_conv(int64_t rows, int64_t channels, int64_t taps,
                            int64_t kept, const int32_t *begin,
                            const int32_t *count, const int32_t *start,
                            const float *x, int64_t x_stride,
                            const float *weight, int64_t weight_stride,
                            float *inputs, float *out, int64_t out_stride);

/// Goes on with the gated delta rule of a sequence, for the `heads` heads of
/// values that read one head of keys; the formulas are those of
/// nn.cached_delta_rule.  The first *count rows are those of the positions from
/// *begin on, and their results have the bits of zrt_gated_delta_rule over the
/// whole sequence; those of other rows are 0.  If `start` is not NULL, a
/// document begins where *start is at least the position.
///
/// `state` is key_width x value_width, `keys` 64 x key_width, `updates` 64 x
/// value_width, `decays` has 64 numbers; rows are contiguous, and heads
/// `..._head` elements apart.  They are what runs before have left of the chunk
/// of *begin, and any contents if *begin is 0.  *begin is clamped to 0 or more,
/// and *count to [0, rows].
void zrt_cached_delta_rule(
    int64_t rows, int64_t key_width, int64_t value_width, const int32_t *begin,
    const int32_t *count, const int32_t *start, int64_t heads, const float *q,
    int64_t q_stride, const float *k, int64_t k_stride, const float *v,
    int64_t v_stride, int64_t v_head, const float *gate, int64_t gate_stride,
    int64_t gate_head, const float *beta, int64_t beta_stride,
    int64_t beta_head, float *state, int64_t state_head, float *keys,
    float *updates, int64_t updates_head, float *decays, int64_t decays_head,
    float *out, int64_t out_stride, int64_t out_head);

//===----------------------------------------------------------------------===//
// Functions that main() and tests call
//===----------------------------------------------------------------------===//

/// One run of a plan.
typedef struct zrt_context zrt_context;

/// The ranks of a job (runtime/world/World.h), opaque here.
typedef struct zrt_world zrt_world;

/// Creates a context of `plan`, which must outlive it.  Checks every entry of
/// the plan's tables, and that this machine can run it: version, processor,
/// tiers.  Allocates no arenas yet.  The context also owns the error of this
/// call: `*out_ctx` is NULL only if there is no memory for it; after other
/// failures it has the message.
zrt_status zrt_create(const zrt_plan *plan, zrt_context **out_ctx);

/// The setup of a run; all zeros are valid for a plan without nvme.
typedef struct zrt_setup {
  int32_t threads;      ///< of `compute`; 0: one per processor of this rank
  int32_t host_threads; ///< of a stream of class host; 0: as many as `compute`
  /// Comma-separated folders over which the nvme tier is striped; NULL if the
  /// plan has no such tier.
  const char *nvme_path;
  uint32_t verify_reads; ///< 1: compare what is read from nvme with a hash
  /// The ranks of the run whose digests zrt_take_digest returns; 0: none.  It
  /// is the number of ranks here, or there is one rank here.
  uint32_t digest_ranks;
} zrt_setup;

/// Allocates the arenas of the plan, starts its streams and connects the ranks
/// of `world` (NULL: this process is the only one).  Refuses operations that
/// the device cannot do.  May be called once; all ranks call it together.
zrt_status zrt_start(zrt_context *ctx, const zrt_setup *setup,
                     zrt_world *world);

/// Waits for every stream, then frees everything; NULL is allowed.
void zrt_destroy(zrt_context *ctx);

/// Runs a program (ZRT_COUNT, ...) and waits for every stream.
zrt_status zrt_run(zrt_context *ctx, uint32_t program);

/// Copies the first `bytes` bytes of `ref` to `to`, or from `from`.  The host
/// has no other access, since only the device knows addresses.  Any thread may
/// call this while no stream works on these bytes; between programs this holds
/// for all bytes.
zrt_status zrt_read(zrt_context *ctx, const zrt_ref *ref, void *to,
                    uint64_t bytes);
zrt_status zrt_write(zrt_context *ctx, const zrt_ref *ref, const void *from,
                     uint64_t bytes);

/// Bytes allocated for the arena of `tier`.
uint64_t zrt_arena_bytes(const zrt_context *ctx, uint32_t tier);

/// The values of a step that a digest is about, in causal order: the master, or
/// the parameter without one, and the optimizer's slots, as the update reads
/// them; a rank's
/// own gradient, of all its micro-steps; the gradient that the update reads;
/// the parameter and the slots that it has written.
enum {
  ZRT_READ = 0,
  ZRT_COMPUTED = 1,
  ZRT_REDUCED = 2,
  ZRT_WRITTEN = 3,
  ZRT_DIGEST_COUNT = 4
};

/// Copies the checksums (runtime/hash/Checksum.h) of all buckets since the last
/// call to `sums`, and starts them from zero.  No program may be running.  With
/// N = `digest_ranks`, `sums` has for each bucket and each of ZRT_READ, ... N
/// sums: those of ZRT_COMPUTED by rank; others by slice, of N slices of the
/// bucket.  What this rank does not have is 0.  On one rank, micro-step k is
/// one of rank k mod N.
zrt_status zrt_take_digest(zrt_context *ctx, uint64_t *sums);

/// The number of threads of `compute`, and of each stream of class host.
int32_t zrt_threads(const zrt_context *ctx);
int32_t zrt_host_threads(const zrt_context *ctx);

/// Chooses how each product is done, before the first program and before
/// anything is written: as `chosen`, an earlier result of this function or "",
/// says; what it does not have is the fastest of up to `most` ways, which are
/// timed (on a GPU: algorithms of cuBLASLt).  Without this call it is the first
/// of these ways.  The choice decides bits.  Returns all choices, "" if there
/// are none, NULL after a failure; valid until the next zrt_report.
const char *zrt_choose_matmuls(zrt_context *ctx, int32_t most,
                               const char *chosen);

/// Returns the flop/s that matmuls of this type reach with the threads
/// of `compute` when nothing else runs.  Measures for about 0.1 s.  No program
/// may be running.
double zrt_matmul_rate(zrt_context *ctx, zrt_dtype dtype);

/// Starts all measurements from zero.  No program may be running.
void zrt_profile(zrt_context *ctx);

/// Reports about a run; each is "" if there is nothing to report.
enum {
  /// Why ranks of this machine do not share memory, or why the nvme tier is
  /// slower than possible: one line each.
  ZRT_NOTE = 0,
  ZRT_TIMES = 1, ///< table of the time spent since zrt_profile
  /// Tables of the bytes received from other ranks and moved between tiers
  /// since zrt_profile.
  ZRT_TRAFFIC = 2,
  /// The first collective or copy between tiers whose bytes differ from the
  /// plan's prediction.
  ZRT_UNPREDICTED = 3
};
/// Valid until the next call for `ctx`.  No program may be running.
const char *zrt_report(zrt_context *ctx, uint32_t what);

/// The first error of the context, "" when there is none; stays valid.
const char *zrt_error_message(const zrt_context *ctx);

#ifdef __cplusplus
}
#endif
