//===- BucketLayouts.cpp - Bytes of members and rank slices in a bucket ---===//

#include "passes/verify/BucketLayouts.h"

#include "dialect/zero/BucketUse.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

int64_t judge::sizeOfMember(BucketOp bucket, MemberAttr member) {
  int64_t elements = llvm::product_of(member.getShape());
  if (!bucket.getPacking())
    return elements;
  // nf4 has half a byte per element, a byte per block and two f32 per group;
  // int8 has a byte per element and an f32 per block.
  constexpr int64_t kBlock = 64, kGroup = 256;
  int64_t blocks = llvm::divideCeil(elements, kBlock);
  return *bucket.getPacking() == Packing::NF4
             ? blocks * (kBlock / 2 + 1) + llvm::divideCeil(blocks, kGroup) * 8
             : blocks * (kBlock + 4);
}

BucketLayouts::BucketLayouts(ModuleOp module) {
  for (auto axis : module.getOps<AxisOp>())
    ranks = std::max(ranks, int64_t(axis.getSize()));
  for (auto op : module.getOps<BucketOp>()) {
    Bucket bucket;
    bucket.elements = op.getElements();
    bucket.slice = bucket.elements / ranks;
    for (auto member : op.getMembers().getAsRange<MemberAttr>())
      bucket.members.push_back(
          {member.getOffset(), member.getOffset() + sizeOfMember(op, member)});
    llvm::sort(bucket.members,
               [](Span a, Span b) { return a.begin < b.begin; });
    Spans merged;
    for (Span member : bucket.members)
      if (!merged.empty() && merged.back().end == member.begin)
        merged.back().end = member.end;
      else
        merged.push_back(member);
    bucket.members = std::move(merged);
    buckets[op.getSymName()] = std::move(bucket);
  }
}

Spans BucketLayouts::membersIn(StringRef name, Type type, bool slice,
                               int64_t rank) const {
  const Bucket &bucket = get(name);
  bool shard = zero::detail::isSlice(type);
  int64_t bytes = getElementBytes(type), from = 0, to = bucket.elements;
  if (shard || slice) {
    from = rank * bucket.slice;
    to = from + bucket.slice;
  }
  int64_t origin = shard ? from : 0;
  Spans spans;
  for (Span member : bucket.members) {
    int64_t begin = std::max(member.begin, from),
            end = std::min(member.end, to);
    if (begin < end)
      spans.push_back({(begin - origin) * bytes, (end - origin) * bytes});
  }
  return spans;
}

Span BucketLayouts::sliceOf(StringRef name, Type type, int64_t rank) const {
  int64_t bytes = get(name).slice * getElementBytes(type);
  return {rank * bytes, (rank + 1) * bytes};
}
