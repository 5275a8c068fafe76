//===- BucketProperties.cpp - Updates and norms ---------------------------===//
#include "train/check/Conformance.h"
#include "train/check/Expect.h"

#include <cmath>

using namespace zrt;
using namespace zrt::check;

namespace {

constexpr int64_t memberShape[] = {20000};
consteval zrt_member memberAt(uint64_t offset, uint64_t count, bool decays) {
  return {"m", 1, decays, memberShape, 0, offset, count, {}};
}
constexpr zrt_member members[] = {memberAt(0, 5000, true),
                                  memberAt(5008, 20000, false),
                                  memberAt(25024, 7, true)};
constexpr zrt_bucket bucket = {"b0", 25040, 3, 0, members, ZRT_UNPACKED, 0};

bool isPadding(size_t i) {
  return (i >= 5000 && i < 5008) || (i >= 25008 && i < 25024) || i >= 25031;
}
bool decays(size_t i) { return i < 5000 || i >= 25024; }
zrt_ref flat(uint64_t which) {
  return deviceRef(4096 + which * (128 << 10), bucket.elements * 4);
}

void updatesGoMemberByMember(const DeviceUnderTest &device) {
  for (const bool isSliced : {false, true}) {
    const auto operand = [&](uint64_t which) {
      return isSliced ? sliceOfWhole(flat(which)) : whole(flat(which));
    };
    const zrt_operand args[] = {operand(0), operand(1), scalar(deviceRef(0, 4)),
                                operand(2)};
    zrt_plan plan =
        planOf(Table().update(ZRT_COMPUTE, {"sgd of b0", 0, 4, device.plain,
                                            device.decayed, args, 0, 0, 0, 0}));
    plan.buckets = &bucket;
    plan.bucket_count = 1;
    DeviceRun run(plan, device);
    const auto p = some<float>(bucket.elements, 1),
               g = some<float>(bucket.elements, 2);
    run.write(flat(0), p);
    run.write(flat(1), g);
    run.write(deviceRef(0, 4), std::vector<float>{0.125f});
    std::vector<float> expected(bucket.elements, -1.0f);
    run.write(flat(2), expected);
    run.step();
    for (size_t i = 0; i < expected.size(); ++i)
      if (!isPadding(i))
        expected[i] = p[i] - 0.125f * (g[i] + (decays(i) ? 1 : 0) * p[i]);
    expectEqual(run.read<float>(flat(2)), expected,
                isSliced ? "an update of a slice" : "an update");
  }
}

/// Sums in the order that docs/runtime.md specifies for a block.
double sumInLanes(const float *values, size_t count) {
  double lanes[16] = {};
  for (size_t i = 0; i < count; ++i)
    lanes[i % 16] += double(values[i]) * double(values[i]);
  for (size_t apart = 8; apart > 0; apart /= 2)
    for (size_t lane = 0; lane < apart; ++lane)
      lanes[lane] += lanes[lane + apart];
  return lanes[0];
}

void squaresAreSummedInTheirOrder(const DeviceUnderTest &device) {
  for (const zrt_dtype dtype : {ZRT_F32, ZRT_BF16, ZRT_F16}) {
    const zrt_ref partials = deviceRef(512 << 10, 6 * sizeof(double));
    const zrt_ref place = deviceRef(4096, bucket.elements * dtypeBytes(dtype));
    zrt_plan plan = planOf(Table().squares(
        ZRT_COMPUTE, {"norm of b0", 0, 0, sliceOfWhole(place, dtype),
                      tensor(partials, ZRT_F64)}));
    plan.buckets = &bucket;
    plan.bucket_count = 1;
    DeviceRun run(plan, device);
    auto values = some<double>(bucket.elements, 5);
    for (size_t i = 0; i < values.size(); ++i)
      if (isPadding(i))
        values[i] = NAN;
    const auto bytes = bytesOf(values, dtype);
    const auto rounded = valuesOf(bytes, dtype);
    const std::vector<float> grad(rounded.begin(), rounded.end());
    run.write(place, bytes);
    run.write(partials, std::vector<double>(6, -1.0));
    run.step();
    // The first block of each member begins with the member.
    const std::vector<double> expected = {
        sumInLanes(&grad[0], 5000),
        sumInLanes(&grad[5008], ZRT_SQUARES_BLOCK),
        sumInLanes(&grad[5008 + ZRT_SQUARES_BLOCK], 20000 - ZRT_SQUARES_BLOCK),
        sumInLanes(&grad[25024], 7),
        0,
        0};
    expectEqual(run.read<double>(partials), expected,
                fmt::format("partial sums of {}", dtypeName(dtype)));
  }
}

} // namespace

std::vector<Property> check::bucketProperties() {
  return {
      {"I_UpdatesGoMemberByMemberAndLeavePaddingAlone", true,
       updatesGoMemberByMember},
      {"J_SquaresAreSummedInTheirOrder", true, squaresAreSummedInTheirOrder},
  };
}
