//===- EntryChecks.cpp - Operations that a device can run -----------------===//
#include "runtime/core/EntryChecks.h"

#include "runtime/Error.h"
#include "runtime/Vocabulary.h"
#include "runtime/core/PlanChecks.h"

using namespace zrt;

namespace {

constexpr uint64_t kScalarBytes = 4;

const char *orElse(const char *name, const char *otherwise) {
  return name ? name : otherwise;
}

void checkMatrix(const zrt_matmul_desc &d, const char *what, const zrt_ref &ref,
                 int64_t batch, int64_t rows, int64_t columns, int64_t size) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(batch, rows, &bytes) ||
      __builtin_mul_overflow(bytes, columns, &bytes) ||
      __builtin_mul_overflow(bytes, size, &bytes) ||
      static_cast<uint64_t>(bytes) > ref.bytes)
    fail("{}: {} is {} x {} x {} of {} bytes, but its range holds {} bytes",
         d.name ? d.name : "matmul", what, batch, rows, columns, size,
         ref.bytes);
}

} // namespace

void zrt::checkMatmul(const zrt_matmul_desc &d) {
  const char *name = d.name ? d.name : "matmul";
  if (d.dtype != ZRT_F32 && d.dtype != ZRT_F64)
    fail("{}: a matmul is f32 or f64, got {}", name, dtypeName(d.dtype));
  if (d.batch < 0 || d.m < 0 || d.n < 0 || d.k < 0)
    fail("{}: negative size: batch {}, m {}, n {}, k {}", name, d.batch, d.m,
         d.n, d.k);
  const auto size = int64_t(dtypeBytes(d.dtype));
  checkMatrix(d, "A", d.a, d.batch, d.m, d.k, size);
  checkMatrix(d, "B", d.b, d.batch, d.k, d.n, size);
  checkMatrix(d, "C", d.c, d.batch, d.m, d.n, size);
  if (d.has_bias)
    checkMatrix(d, "the bias", d.bias, 1, 1, d.n, size);
}

EntryChecks::EntryChecks(const zrt_plan &plan, uint32_t rank)
    : plan(plan), rank(rank) {
  for (uint32_t i = 0; i < plan.bucket_count; ++i)
    buckets.push_back(partOf(plan.buckets[i], rank, plan.world_size));
}

void EntryChecks::check(const Entry &entry) const {
  switch (entry.kind) {
  case Entry::Kind::Launch:
    return check(*entry.launch);
  case Entry::Kind::Matmul:
    return check(*entry.matmul);
  case Entry::Kind::Update:
    return check(*entry.update);
  case Entry::Kind::SumSquares:
    return check(*entry.squares);
  case Entry::Kind::Collective:
    return check(*entry.collective);
  case Entry::Kind::Copy:
    return checkCopy(entry.from, entry.to);
  case Entry::Kind::Record:
  case Entry::Kind::Wait:
    return;
  }
}

void EntryChecks::check(const zrt_launch_desc &desc) const {
  const char *name = orElse(desc.name, "launch");
  if (!desc.fn || desc.extent < 0 || desc.grain <= 0)
    fail("{}: a launch needs a kernel, an extent >= 0 and a grain > 0, got "
         "extent {}, grain {}",
         name, desc.extent, desc.grain);
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    checkRef(plan, desc.args[i], name);
}

void EntryChecks::check(const zrt_matmul_desc &desc) const {
  const char *name = orElse(desc.name, "matmul");
  checkMatmul(desc);
  checkRef(plan, desc.a, name);
  checkRef(plan, desc.b, name);
  checkRef(plan, desc.c, name);
  if (desc.has_bias)
    checkRef(plan, desc.bias, name);
}

void EntryChecks::check(const zrt_update_desc &desc) const {
  const char *name = orElse(desc.name, "update");
  if (desc.bucket >= buckets.size())
    fail("{}: bucket {} does not exist, the plan has {}", name, desc.bucket,
         buckets.size());
  const BucketPart &bucket = buckets[desc.bucket];
  for (const Segment &segment : bucket.members)
    if (!(segment.decays ? desc.decayed : desc.plain))
      fail("{}: it has no kernel for members {} decay", name,
           segment.decays ? "with" : "without");
  const uint64_t whole = bucket.elements * 4, slice = bucket.slice * 4;
  for (uint32_t i = 0; i < desc.arg_count; ++i) {
    const uint64_t bytes = desc.args[i].bytes;
    if (bytes != kScalarBytes && bytes != whole &&
        !(desc.sliced && bytes == slice))
      fail("{}: argument {} has {} bytes, expected {} (a scalar), {} (the "
           "bucket){}",
           name, i, bytes, kScalarBytes, whole,
           desc.sliced ? fmt::format(" or {} (the rank's slice)", slice) : "");
  }
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    checkRef(plan, desc.args[i], name);
}

void EntryChecks::check(const zrt_squares_desc &desc) const {
  const char *name = orElse(desc.name, "sum_squares");
  if (desc.bucket >= buckets.size())
    fail("{}: bucket {} does not exist, the plan has {}", name, desc.bucket,
         buckets.size());
  const BucketPart &bucket = buckets[desc.bucket];
  const uint64_t whole = bucket.elements * 4, slice = bucket.slice * 4;
  if (desc.grad.bytes != whole && desc.grad.bytes != slice)
    fail("{}: its gradient has {} bytes, expected {} or {}", name,
         desc.grad.bytes, slice, whole);
  if (desc.partials.bytes / sizeof(double) < bucket.blocks.size())
    fail("{}: {} bytes hold fewer than the {} partial sums of rank {}", name,
         desc.partials.bytes, bucket.blocks.size(), rank);
  checkRef(plan, desc.grad, name);
  checkRef(plan, desc.partials, name);
}

void EntryChecks::check(const zrt_collective_desc &desc) const {
  const char *name = orElse(desc.name, "a collective");
  checkRef(plan, desc.source, name);
  checkRef(plan, desc.result, name);
}

void EntryChecks::checkCopy(const zrt_ref &from, const zrt_ref &to) const {
  if (to.bytes < from.bytes)
    fail("a copy of {} bytes goes to a range of {} bytes", from.bytes,
         to.bytes);
  checkRef(plan, from, "the source of a copy");
  checkRef(plan, to, "the target of a copy");
}
