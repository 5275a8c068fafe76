//===- TableChecks.cpp - Checks the tables of a plan's programs -----------===//
#include "runtime/core/PlanChecks.h"

#include "runtime/core/Segments.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

using namespace zrt;

namespace {

/// The number of elements of which operands are the whole, a part or a slice;
/// nullopt if unknown.
using Elements = std::optional<uint64_t>;

/// Throws `error` with the place of the operation at `index` of `program`.
[[noreturn]] void failAt(uint32_t program, size_t index, const zrt_op &op,
                         const Error &error) {
  const bool isNamed = op.descriptor && op.kind < ZRT_KIND_COUNT && isWork(op);
  fail("program {}, operation {}, {}: {}", programName(program), index,
       isNamed ? nameOf(op) : kindName(op.kind), error.what());
}

/// Calls `check` for each operation, and adds its place to exceptions.
template <typename Check>
void checkProgram(const zrt_plan &plan, uint32_t program, Check check) {
  const std::span<const zrt_op> ops = opsOf(plan.programs[program]);
  for (size_t i = 0; i < ops.size(); ++i)
    try {
      check(ops[i]);
    } catch (const Error &error) {
      failAt(program, i, ops[i], error);
    }
}

class TableChecks {
public:
  explicit TableChecks(const zrt_plan &plan) : plan(plan), groups(plan) {}

  /// Begins a program with `events` events.
  void start(uint32_t events) {
    eventCount = events;
    recorded.assign(events, false);
  }

  void check(const zrt_op &op) {
    if (op.kind >= ZRT_KIND_COUNT)
      fail("kind {} does not exist", op.kind);
    if (op.stream >= plan.stream_count)
      fail("stream {} does not exist, the plan has {}", op.stream,
           plan.stream_count);
    if (!op.descriptor)
      fail("it has no descriptor");
    const Elements elements = elementsOf(op);
    forEachOperand(op, [&](const std::string &what, const zrt_operand &one) {
      checkOperand(what, one, elements);
      if (one.ref.tier == ZRT_NVME && op.kind != ZRT_COPY)
        fail("{}: it lies on nvme, and a {} works in memory; copy it to the "
             "host before",
             what, kindName(op.kind));
      // Without a bucket a share of it is undefined; but copies just cut bytes.
      if (!elements && isShare(one.extent) && op.kind != ZRT_COPY)
        fail("{}: it is {}, and a {} works on all of its bytes", what,
             extentName(one.extent), kindName(op.kind));
    });
    if (!isWork(op))
      return checkEvent(op);
    stream = op.stream;
    visitWork(op, [&](const auto &desc) { check(desc); });
  }

private:
  Elements elementsOf(const zrt_op &op) const {
    if (op.kind == ZRT_COLLECTIVE)
      return collectiveOf(op).elements;
    Elements elements;
    visitDevice(op, [&](const auto &desc) {
      if constexpr (hasBucket<decltype(desc)>) {
        if (desc.bucket >= plan.bucket_count)
          fail("bucket {} does not exist, the plan has {}", desc.bucket,
               plan.bucket_count);
        elements = plan.buckets[desc.bucket].elements;
      }
    });
    return elements;
  }

  void checkOperand(const std::string &what, const zrt_operand &operand,
                    Elements elements) const {
    checkRef(plan, operand.ref, what);
    const uint64_t size = dtypeBytes(operand.dtype);
    if (size == 0)
      fail("{}: dtype {} does not exist", what, operand.dtype);
    if (operand.extent == 0 || operand.extent >= ZRT_EXTENT_END)
      fail("{}: extent {} does not exist", what, operand.extent);
    if (operand.ref.gradient_of > plan.bucket_count)
      fail("{}: it is a gradient of bucket {}, and the plan has {}", what,
           operand.ref.gradient_of - 1, plan.bucket_count);
    if (operand.ref.bytes % size != 0)
      fail("{}: {} are no number of {} of {} bytes", what,
           shownBytes(operand.ref.bytes), dtypeName(operand.dtype), size);
    if (!groups.exist() &&
        (isPart(operand.extent) || operand.extent == ZRT_SLICE_OF_PART))
      fail("{}: it is {}, and the plan has no groups", what,
           extentName(operand.extent));
    Elements expected;
    if (operand.extent == ZRT_SCALAR)
      expected = 1;
    else if (operand.extent != ZRT_MEMBERS && elements)
      expected = *elements / groups.sharesOf(operand.extent);
    if (expected && elementsIn(operand) != *expected)
      fail("{}: it is {} of {}, hence {} elements, but its {} hold {}", what,
           extentName(operand.extent), dtypeName(operand.dtype), *expected,
           shownBytes(operand.ref.bytes), elementsIn(operand));
  }

  static void check(const zrt_launch_desc &desc) {
    if (!desc.fn || desc.units < 0 || desc.grain <= 0)
      fail("a launch needs a kernel, units >= 0 and a grain > 0, got {} units, "
           "grain {}",
           desc.units, desc.grain);
  }

  static void checkMatrix(const char *what, const zrt_operand &operand,
                          int64_t batch, const StoredMatrix &matrix) {
    if (matrix.ld < matrix.columns || (batch > 1 && matrix.ld > matrix.columns))
      fail("{} has rows of {} elements every {}, in a batch of {}", what,
           matrix.columns, matrix.ld, batch);
    int64_t elements = 0;
    if (__builtin_mul_overflow(batch, matrix.rows, &elements) ||
        __builtin_mul_overflow(elements, matrix.ld, &elements) ||
        static_cast<uint64_t>(elements) > elementsIn(operand))
      fail("{} is {} x {} x {} of {}, but its {} hold {}", what, batch,
           matrix.rows, matrix.ld, dtypeName(operand.dtype),
           shownBytes(operand.ref.bytes), elementsIn(operand));
  }

  static void check(const zrt_matmul_desc &d) {
    if (d.batch < 0 || d.m < 0 || d.n < 0 || d.k < 0)
      fail("negative size: batch {}, m {}, n {}, k {}", d.batch, d.m, d.n, d.k);
    checkMatrix("A", d.a, d.batch, storedA(d));
    if (d.packing == ZRT_UNPACKED)
      checkMatrix("B", d.b, d.batch, storedB(d));
    else
      checkPacked(d);
    checkMatrix("C", d.c, d.batch, storedC(d));
    if (d.has_bias)
      checkMatrix("bias", d.bias, 1, storedMatrix(1, d.n, 0));
    if (!std::isfinite(d.scale) || d.scale == 0)
      fail("a product is scaled by {}", d.scale);
  }

  static void checkPacked(const zrt_matmul_desc &d) {
    checkPacking("B", d.packing, d.b, uint64_t(d.n) * uint64_t(d.k));
    if (d.batch != 1 || d.trans_a || !d.trans_b || d.m > ZRT_PACKED_ROWS ||
        d.k == 0 || d.k > ZRT_PACKED_DEPTH || d.k % ZRT_PACKED_BLOCK != 0)
      fail("B is packed, and so is that of one product with a transposed B, up "
           "to {} rows, and a multiple of {} up to {} columns of A",
           ZRT_PACKED_ROWS, ZRT_PACKED_BLOCK, ZRT_PACKED_DEPTH);
  }

  static void checkPacking(const char *what, uint32_t packing,
                           const zrt_operand &packed, uint64_t elements) {
    if (packing == ZRT_UNPACKED || packing >= ZRT_PACKING_COUNT)
      fail("packing {} does not exist", packing);
    const uint64_t bytes = zrt_packed_bytes(packing, elements);
    if (packed.dtype != ZRT_I8 || packed.ref.bytes != bytes)
      fail("{}: {} of {}, and {} elements of {} are {} of i8", what,
           shownBytes(packed.ref.bytes), dtypeName(packed.dtype), elements,
           packingName(packing), shownBytes(bytes));
  }

  static void check(const zrt_grouped_desc &d) {
    if (d.rows < 0 || d.n < 0 || d.k < 0)
      fail("negative size: rows {}, n {}, k {}", d.rows, d.n, d.k);
    if (d.groups == 0)
      fail("it has no groups");
    if (d.sums && d.trans_w)
      fail("sums are not stored transposed; exchange x and y");
    checkMatrix("x", d.x, 1, storedMatrix(d.rows, d.k, 0));
    checkMatrix("y", d.y, 1, storedMatrix(d.rows, d.n, 0));
    for (uint32_t i = 0; i < d.groups; ++i)
      checkMatrix(fmt::format("W{}", i).c_str(), d.w[i], 1,
                  storedMatrix(d.k, d.n, 0));
    if (d.offsets.dtype != ZRT_I32 ||
        elementsIn(d.offsets) != uint64_t{d.groups} + 1)
      fail("offsets: {} of {}, and {} groups have {} of i32",
           elementsIn(d.offsets), dtypeName(d.offsets.dtype), d.groups,
           uint64_t{d.groups} + 1);
  }

  static void check(const zrt_unpack_desc &d) {
    checkPacking("source", d.packing, d.source, d.elements);
    if (elementsIn(d.result) != d.elements)
      fail("result: its {} hold {} of {}, and {} elements are made",
           shownBytes(d.result.ref.bytes), elementsIn(d.result),
           dtypeName(d.result.dtype), d.elements);
  }

  static void checkNarrow(const zrt_operand &wide, const zrt_operand &narrow) {
    if (wide.extent != narrow.extent ||
        (wide.extent != ZRT_WHOLE && wide.extent != ZRT_SLICE &&
         wide.extent != ZRT_PART))
      fail(
          "it makes a {} of a {}; both are the whole bucket, a slice or a part",
          extentName(narrow.extent), extentName(wide.extent));
    if (numbersIn(wide.dtype) > 1 ||
        (numbersIn(narrow.dtype) == 1 &&
         dtypeBytes(narrow.dtype) >= dtypeBytes(wide.dtype)))
      fail("{} has no fewer bits than {}", dtypeName(narrow.dtype),
           dtypeName(wide.dtype));
  }
  static void check(const zrt_quantize_desc &desc) {
    checkNarrow(desc.source, desc.result);
  }
  static void check(const zrt_dequantize_desc &desc) {
    checkNarrow(desc.result, desc.source);
  }

  void check(const zrt_update_desc &desc) const {
    bool needsPlain = false, needsDecayed = false;
    for (const zrt_member &member : membersOf(plan.buckets[desc.bucket]))
      (member.decays ? needsDecayed : needsPlain) = true;
    if (needsPlain && !desc.plain)
      fail("it has no kernel for members without decay");
    if (needsDecayed && !desc.decayed)
      fail("it has no kernel for members with decay");
    if (desc.gradient >= std::max(desc.arg_count, 1u))
      fail("its gradient is operand {}, and it has {}", desc.gradient,
           desc.arg_count);
    if (desc.master >= std::max(desc.arg_count, 1u))
      fail("its master is operand {}, and it has {}", desc.master,
           desc.arg_count);
    if (desc.rounding >= std::max(desc.arg_count, 1u))
      fail("it rounds by operand {}, and has {}", desc.rounding,
           desc.arg_count);
    if (desc.rounding != 0 && (desc.args[desc.rounding].dtype != ZRT_I64 ||
                               desc.args[desc.rounding].extent != ZRT_SCALAR))
      fail("operand {}: it is {} {}, and random bits to round by are an i64",
           desc.rounding, extentName(desc.args[desc.rounding].extent),
           dtypeName(desc.args[desc.rounding].dtype));
    for (uint32_t i = 0; i < desc.arg_count; ++i) {
      const uint32_t extent = desc.args[i].extent;
      if (extent == ZRT_MEMBERS || isPart(extent) ||
          (extent == ZRT_WHOLE && isSliced(desc)))
        fail("operand {} is {}; an update works on scalars and either a whole "
             "bucket or the rank's slice of it",
             i, extentName(extent));
    }
  }

  void check(const zrt_squares_desc &desc) const {
    if (!isSlice(desc.grad.extent))
      fail("gradient: it is {}, and squares are those of the rank's slice",
           extentName(desc.grad.extent));
    for (uint32_t rank = 0; rank < plan.world_size; ++rank) {
      const size_t blocks =
          partOf(plan.buckets[desc.bucket], rank, groups).blocks.size();
      if (elementsIn(desc.partials) < blocks)
        fail("partials: {} hold fewer than the {} sums of rank {}",
             shownBytes(desc.partials.ref.bytes), blocks, rank);
    }
  }

  /// The transport checks the rest.
  void check(const zrt_collective_desc &desc) const {
    if (desc.over >= ZRT_OVER_COUNT)
      fail("it is over {}, and {} is the last that exists", desc.over,
           uint32_t{ZRT_OVER_COUNT} - 1);
    if (desc.kind == ZRT_ALL_TO_ALL || desc.over == ZRT_OVER_CONTEXT) {
      if (desc.kind != ZRT_ALL_TO_ALL || desc.over != ZRT_OVER_CONTEXT)
        fail("it is an {} over {}; an all_to_all is over context, and nothing "
             "else is",
             collectiveName(desc.kind), overName(desc.over));
    } else if (!isOfBucket(desc.kind) || !groups.exist()) {
      if (desc.over != ZRT_OVER_ALL)
        fail("it is over {}, and {}", overName(desc.over),
             groups.exist() ? fmt::format("an {} is over all ranks",
                                          collectiveName(desc.kind))
                            : "the plan has no groups");
    } else if (desc.over == ZRT_OVER_ALL) {
      fail("it is over all ranks, and in a plan with groups an {} is over "
           "members or groups",
           collectiveName(desc.kind));
    }
  }

  void check(const zrt_copy_desc &desc) const {
    checkCut(desc.source, desc.result);
    checkCut(desc.result, desc.source);
    const zrt_ref from = refOf(desc.source, 0, groups),
                  to = refOf(desc.result, 0, groups);
    if (to.bytes < from.bytes)
      fail("a copy of {} goes to a range of {}", shownBytes(from.bytes),
           shownBytes(to.bytes));
    if (desc.source.dtype != desc.result.dtype)
      fail("a copy changes no type, got {} and {}",
           dtypeName(desc.source.dtype), dtypeName(desc.result.dtype));
    if (from.tier != to.tier || from.tier == ZRT_NVME)
      checkLink(desc, plan.streams[stream].stream_class);
  }

  /// Throws if a copy cuts a share that is not all of its other side.
  static void checkCut(const zrt_operand &one, const zrt_operand &other) {
    const uint32_t needed = isPart(one.extent) ? ZRT_PART : ZRT_SLICE;
    if (isShare(one.extent) && other.extent != needed)
      fail("a copy of a {} has a {} on its other side, got {}",
           extentName(one.extent), extentName(needed),
           extentName(other.extent));
  }

  static void checkLink(const zrt_copy_desc &desc, uint32_t streamClass) {
    const zrt_ref &from = desc.source.ref, &to = desc.result.ref;
    const auto link = linkOf(desc);
    if (!link)
      fail("no copy goes from {} to {}; go by the host", tierName(from.tier),
           tierName(to.tier));
    if (*link != streamClass)
      fail("a copy from {} to {} runs on a stream of class {}, not of {}",
           tierName(from.tier), tierName(to.tier), streamClassName(*link),
           streamClassName(streamClass));
    if (from.tier != ZRT_NVME && to.tier != ZRT_NVME)
      return;
    for (const auto &[what, ref] :
         {std::pair("source", &from), std::pair("result", &to)})
      if (ref->offset % ZRT_NVME_BLOCK != 0)
        fail("{}: offset {} of {} is not a multiple of {}, as nvme needs it",
             what, ref->offset, tierName(ref->tier), ZRT_NVME_BLOCK);
  }

  void checkEvent(const zrt_op &op) {
    const uint32_t event = eventOf(op);
    if (event >= eventCount)
      fail("event {} does not exist, the program has {}", event, eventCount);
    if (op.kind == ZRT_WAIT && !recorded[event])
      fail("event {} is waited for before it is recorded", event);
    if (op.kind == ZRT_RECORD && recorded[event])
      fail("event {} is recorded twice", event);
    recorded[event] = true;
  }

  const zrt_plan &plan;
  const RankGroups groups;
  uint32_t eventCount = 0;
  zrt_stream stream = 0;      ///< of the operation
  std::vector<bool> recorded; ///< events of this program
};

void checkStreams(const zrt_plan &plan) {
  if (plan.stream_count > ZRT_MAX_STREAMS)
    fail("the plan has {} streams; {} are the most", plan.stream_count,
         ZRT_MAX_STREAMS);
  for (uint32_t i = 0; i < plan.stream_count; ++i) {
    if (!plan.streams[i].name)
      fail("stream {} has no name", i);
    if (plan.streams[i].stream_class >= ZRT_STREAM_CLASS_COUNT)
      fail("stream {}: class {} does not exist", plan.streams[i].name,
           plan.streams[i].stream_class);
  }
}

} // namespace

void zrt::checkRef(const zrt_plan &plan, const zrt_ref &ref,
                   std::string_view what) {
  if (ref.tier >= ZRT_TIER_COUNT)
    fail("{}: tier {} does not exist", what, ref.tier);
  const uint64_t arena = plan.arena_bytes[ref.tier];
  if (ref.offset > arena || ref.bytes > arena - ref.offset)
    fail("{}: {} at offset {} reach past the {} arena of {}", what,
         shownBytes(ref.bytes), withCommas(ref.offset), tierName(ref.tier),
         shownBytes(arena));
}

void zrt::checkTables(const zrt_plan &plan) {
  checkStreams(plan);
  TableChecks checks(plan);
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p) {
    const std::span<const zrt_op> ops = opsOf(plan.programs[p]);
    // Each event has its own record.  This bounds the memory of `checks`.
    if (plan.programs[p].event_count > ops.size())
      fail("program {}: {} operations record {} events", programName(p),
           ops.size(), plan.programs[p].event_count);
    checks.start(plan.programs[p].event_count);
    checkProgram(plan, p, [&](const zrt_op &op) { checks.check(op); });
  }
}

void zrt::checkEach(const zrt_plan &plan,
                    const std::function<void(const zrt_op &)> &check) {
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p)
    checkProgram(plan, p, [&](const zrt_op &op) {
      if (isWork(op))
        check(op);
    });
}
