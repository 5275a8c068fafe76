//===- BucketLayouts.cpp - Bytes of parameters and ranks in a bucket ------===//

#include "passes/verify/BucketLayouts.h"

#include "dialect/zero/BucketUse.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

int64_t judge::sizeOfMember(BucketOp bucket, MemberAttr member) {
  int64_t elements = llvm::product_of(member.getShape());
  std::optional<Packing> packing = bucket.getPacking();
  if (!packing)
    return elements;
  // nf4 has half a byte per element, a byte per block and two f32 per group;
  // int8 has a byte per element and an f32 per block.
  constexpr int64_t kBlock = 64, kGroup = 256;
  int64_t blocks = llvm::divideCeil(elements, kBlock);
  return *packing == Packing::NF4
             ? blocks * (kBlock / 2 + 1) + llvm::divideCeil(blocks, kGroup) * 8
             : blocks * (kBlock + 4);
}

Portion judge::portionOf(Type type) {
  return zero::detail::isSlice(type)  ? Portion::Slice
         : zero::detail::isPart(type) ? Portion::Part
                                      : Portion::Whole;
}

/// The numbers of one element of `type`.
static int64_t numbersOf(Type type) {
  constexpr int64_t kBlock = 256;
  return isa<QuantizedBlockType>(getElementType(type)) ? kBlock : 1;
}

BucketLayouts::BucketLayouts(ModuleOp module) {
  for (auto axis : module.getOps<AxisOp>())
    if (int64_t size = axis.getSize(); size > ranks) {
      ranks = size;
      group = axis.getGroup().value_or(size);
    }
  for (auto op : module.getOps<BucketOp>()) {
    Bucket bucket;
    bucket.elements = op.getElements();
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

Span BucketLayouts::elementsOf(const Bucket &bucket, Portion portion,
                               int64_t rank) const {
  if (portion == Portion::Whole)
    return {0, bucket.elements};
  int64_t slice = bucket.elements / ranks, slices = 1,
          first = (rank % group) * countGroups();
  if (portion == Portion::Part)
    slices = countGroups();
  else
    first += rank / group;
  return {first * slice, (first + slices) * slice};
}

Spans BucketLayouts::membersIn(StringRef name, Type type, Portion portion,
                               int64_t rank) const {
  const Bucket &bucket = get(name);
  const Portion room = portionOf(type);
  const Span within = elementsOf(bucket, std::min(portion, room), rank);
  int64_t bytes = getElementBytes(type), numbers = numbersOf(type),
          origin = elementsOf(bucket, room, rank).begin, last = 0;
  Spans spans;
  for (Span member : bucket.members) {
    int64_t begin = std::max(member.begin, within.begin) - origin,
            end = std::min(member.end, within.end) - origin;
    if (begin >= end)
      continue;
    // A block may hold numbers of two members.
    begin = std::max(begin / numbers, last);
    last = llvm::divideCeil(end, numbers);
    if (begin < last)
      spans.push_back({begin * bytes, last * bytes});
  }
  return spans;
}

Span BucketLayouts::portionIn(StringRef name, Type type, Portion portion,
                              int64_t rank) const {
  const Bucket &bucket = get(name);
  const Span within = elementsOf(bucket, portion, rank);
  int64_t bytes = getElementBytes(type), numbers = numbersOf(type),
          origin = elementsOf(bucket, portionOf(type), rank).begin;
  return {(within.begin - origin) / numbers * bytes,
          (within.end - origin) / numbers * bytes};
}
