//===- HandPlan.h - Builds small plans for checks ---------------*- C++ -*-===//
//
// A compiled plan consists of constant tables.  A device check builds them by
//
//   handPlan(Table().launch(ZRT_COMPUTE, launch).record(ZRT_COMPUTE, 0) ...)
//
// There is one stream of each class; its number is the class.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/plan/PlanTable.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace zrt {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

inline zrt_ref deviceRef(uint64_t offset, uint64_t bytes) {
  return {ZRT_DEVICE, 0, offset, bytes};
}
inline zrt_operand tensor(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_MEMBERS};
}
inline zrt_operand scalar(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_SCALAR};
}
inline zrt_operand whole(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_WHOLE};
}
inline zrt_operand slice(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_SLICE};
}
/// The rank's slice of a ref to the whole bucket.
inline zrt_operand sliceOfWhole(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_SLICE_OF_WHOLE};
}
/// The part of the rank's member: all that the ref holds, or of the whole.
inline zrt_operand part(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_PART};
}
inline zrt_operand partOfWhole(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_PART_OF_WHOLE};
}
/// The rank's slice of a ref to the part of its member.
inline zrt_operand sliceOfPart(const zrt_ref &ref, zrt_dtype dtype = ZRT_F32) {
  return {ref, dtype, ZRT_SLICE_OF_PART};
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Builds a program.  Keeps copies of descriptors, and of the operands of
/// launches and updates.
class Table {
public:
  Table &launch(zrt_stream stream, zrt_launch_desc desc) {
    desc.args = keepAll(desc.args, desc.arg_count);
    return add(ZRT_LAUNCH, stream, keep(desc));
  }
  Table &launch(zrt_stream stream, const char *name, zrt_kernel_fn fn,
                int64_t units, int64_t grain,
                const std::vector<zrt_operand> &args) {
    return launch(stream, {name, fn, units, grain, uint32_t(args.size()), 0,
                           args.data()});
  }
  Table &matmul(zrt_stream stream, const zrt_matmul_desc &desc) {
    return add(ZRT_MATMUL, stream, keep(desc));
  }
  Table &update(zrt_stream stream, zrt_update_desc desc) {
    desc.args = keepAll(desc.args, desc.arg_count);
    return add(ZRT_UPDATE, stream, keep(desc));
  }
  Table &squares(zrt_stream stream, const zrt_squares_desc &desc) {
    return add(ZRT_SQUARES, stream, keep(desc));
  }
  Table &collective(zrt_stream stream, const zrt_collective_desc &desc) {
    return add(ZRT_COLLECTIVE, stream, keep(desc));
  }
  Table &copy(zrt_stream stream, const zrt_ref &from, const zrt_ref &to) {
    return add(
        ZRT_COPY, stream,
        keep(zrt_copy_desc{"copy", tensor(from, ZRT_I8), tensor(to, ZRT_I8)}));
  }
  Table &record(zrt_stream stream, uint32_t event) {
    events = std::max(events, event + 1);
    return add(ZRT_RECORD, stream, keep(zrt_event_desc{event, 0}));
  }
  Table &wait(zrt_stream stream, uint32_t event) {
    return add(ZRT_WAIT, stream, keep(zrt_event_desc{event, 0}));
  }
  Table &add(uint32_t kind, zrt_stream stream, const void *descriptor) {
    ops.push_back({kind, stream, descriptor});
    return *this;
  }

  /// Returns the program; its memory is never freed.
  zrt_program program() const {
    static std::mutex mutex;
    static std::list<Table> all;
    const std::lock_guard<std::mutex> lock(mutex);
    all.push_back(*this);
    // An empty program needs a non-null pointer, too.
    all.back().ops.reserve(1);
    return {all.back().ops.data(), ops.size(), events, 0};
  }

private:
  template <typename T>
  const T *keep(const T &value) {
    auto copy = std::make_shared<const T>(value);
    kept.push_back(copy);
    return copy.get();
  }
  const zrt_operand *keepAll(const zrt_operand *args, uint32_t count) {
    auto copy = std::make_shared<std::vector<zrt_operand>>(args, args + count);
    kept.push_back(copy);
    return copy->data();
  }

  std::vector<zrt_op> ops;
  std::vector<std::shared_ptr<const void>> kept;
  uint32_t events = 0;
};

/// One stream of each class.
inline constexpr zrt_stream_desc kHandStreams[] = {
    {streamClassName(0), 0, 0},  {streamClassName(1), 1, 0},
    {streamClassName(2), 2, 0},  {streamClassName(3), 3, 0},
    {streamClassName(4), 4, 0},  {streamClassName(5), 5, 0},
    {streamClassName(6), 6, 0},  {streamClassName(7), 7, 0},
    {streamClassName(8), 8, 0},  {streamClassName(9), 9, 0},
    {streamClassName(10), 10, 0}};
static_assert(std::size(kHandStreams) == ZRT_STREAM_CLASS_COUNT);

inline zrt_plan handPlan(const Table &step, uint64_t deviceBytes = 1 << 16) {
  zrt_plan plan = {};
  plan.abi_version = ZRT_ABI_VERSION;
  plan.world_size = 1;
  plan.model = "test";
  plan.options = "";
  plan.cpu = "x86-64";
  plan.features = "";
  plan.arena_bytes[ZRT_DEVICE] = deviceBytes;
  plan.accumulate = 1;
  plan.exported_begin = deviceBytes;
  plan.streams = kHandStreams;
  plan.stream_count = ZRT_STREAM_CLASS_COUNT;
  plan.programs[ZRT_STEP] = step.program();
  return plan;
}

} // namespace zrt
