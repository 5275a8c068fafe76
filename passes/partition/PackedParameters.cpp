//===- PackedParameters.cpp - Dequantizes packed parameters ---------------===//
//
// A packed parameter is dequantized just before it is read.  A copy that waited
// for the backward would undo the savings of packing.  So reads share a copy
// only if no other packed parameter, and no parameter of another block, is read
// between them; in practice these are the reads of several micro-steps.
//
//   reads of w1    *  *       head   *
//   reads of w2          *        *
//   copies         '--'  '    '   '  '
//
//   %f = zero.all_gather %p of @b1
//   %b = zero.view %f[@b1, "w1"]
//   %w1 = zero.unpack %b as <nf4>
//   %y = nn.matmul %x, %w1
//
// RegatherParameters decides which copies share a gather.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

#include "dialect/zero/Storage.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// An operand that reads a parameter, and its position.
struct Use {
  unsigned position;
  OpOperand *operand;
};

/// Reads of one parameter that share a copy of it.
struct Reads {
  size_t parameter;
  SmallVector<Use, 1> uses; ///< in program order
};

/// Collects the reads of `value`, looking through reshapes.
void collect(Value value, const DenseMap<Operation *, unsigned> &positions,
             SmallVectorImpl<Use> &uses) {
  for (OpOperand &use : value.getUses())
    if (isReshape(use.getOwner()))
      collect(use.getOwner()->getResult(0), positions, uses);
    else
      uses.push_back({positions.lookup(use.getOwner()), &use});
}

/// Rebuilds `value`, a result of reshapes, from the values in `copies`.
Value rebuild(OpBuilder &b, Value value, IRMapping &copies) {
  if (Value known = copies.lookupOrNull(value))
    return known;
  Operation *reshape = value.getDefiningOp();
  rebuild(b, reshape->getOperand(0), copies);
  return b.clone(*reshape, copies)->getResult(0);
}

/// Erases reshapes of `value` that nobody reads.
void eraseUnread(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    if (!isReshape(user))
      continue;
    eraseUnread(user->getResult(0));
    if (user->use_empty())
      user->erase();
  }
}

} // namespace

bool ProgramBuilder::isPacked(size_t parameter) {
  return buckets[partition.layout.places[parameter].front().bucket]
      .packing.has_value();
}

StringRef ProgramBuilder::blockOf(size_t parameter) {
  unsigned argument = partition.arguments[parameter];
  if (auto block = function.getArgAttrOfType<StringAttr>(argument, kBlockAttr))
    return block.getValue();
  return getBlockOfLayer(
      function.getArgAttrOfType<StringAttr>(argument, kParamAttr).getValue());
}

/// Dequantizes `parameter` from the values of its buckets in `flat`; gathers
/// buckets that have no value yet.
Value ProgramBuilder::unpack(size_t parameter, SmallVectorImpl<Value> &flat) {
  auto type = cast<RankedTensorType>(
      block.getArgument(partition.arguments[parameter]).getType());
  SmallVector<Value, 1> pieces;
  for (auto [k, m] : partition.layout.places[parameter]) {
    if (!flat[k])
      flat[k] = buckets[k].whole ? state[0][k] : gather(k);
    MemberAttr member = buckets[k].members[m].attr;
    BucketOp bucket = partition.buckets[k];
    Location loc = NameLoc::get(member.getName());
    Value bytes = ViewOp::create(
        b, loc,
        RankedTensorType::get(bucket.getViewShape(member), b.getIntegerType(8)),
        flat[k], symbol(k), member.getName());
    pieces.push_back(UnpackOp::create(
        b, loc, RankedTensorType::get(member.getShape(), type.getElementType()),
        bytes, *buckets[k].packing));
  }
  if (pieces.size() == 1)
    return pieces.front();
  return JoinOp::create(b, pieces.front().getLoc(), type, pieces);
}

void ProgramBuilder::unpackParameters() {
  DenseMap<Operation *, unsigned> positions;
  for (Operation &op : block)
    positions.try_emplace(&op, positions.size());
  // By position: the parameters that are read there.
  std::vector<SmallVector<size_t, 2>> readAt(positions.size());
  SmallVector<SmallVector<Use>> uses(partition.arguments.size());
  for (auto [i, argument] : llvm::enumerate(partition.arguments)) {
    collect(block.getArgument(argument), positions, uses[i]);
    llvm::sort(uses[i], [](const Use &x, const Use &y) {
      return std::pair(x.position, x.operand->getOperandNumber()) <
             std::pair(y.position, y.operand->getOperandNumber());
    });
    for (const Use &use : uses[i])
      readAt[use.position].push_back(i);
  }
  auto isOther = [&](size_t mine, size_t other) {
    return other != mine &&
           (isPacked(other) || blockOf(other) != blockOf(mine));
  };
  std::vector<Reads> copies;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (!isPacked(i))
      continue;
    for (auto [u, use] : llvm::enumerate(uses[i])) {
      bool isNew = u == 0;
      for (unsigned at = isNew ? 0 : uses[i][u - 1].position + 1;
           !isNew && at < use.position; ++at)
        isNew = llvm::any_of(readAt[at],
                             [&](size_t other) { return isOther(i, other); });
      if (isNew)
        copies.push_back({i, {}});
      copies.back().uses.push_back(use);
    }
  }
  // The first copy from a bucket emits its gather.
  llvm::stable_sort(copies, [](const Reads &x, const Reads &y) {
    return x.uses.front().position < y.uses.front().position;
  });
  SmallVector<Value> flat(buckets.size());
  for (Reads &reads : copies) {
    BlockArgument old = block.getArgument(partition.arguments[reads.parameter]);
    b.setInsertionPoint(reads.uses.front().operand->getOwner());
    IRMapping made;
    made.map(old, unpack(reads.parameter, flat));
    for (const Use &use : reads.uses)
      use.operand->set(rebuild(b, use.operand->get(), made));
  }
  for (size_t i = 0; i < uses.size(); ++i)
    if (isPacked(i))
      eraseUnread(block.getArgument(partition.arguments[i]));
}
