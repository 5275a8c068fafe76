//===- ModelMutations.cpp - Break the computation of the model ------------===//
//
// A plan is changed without byte ranges and events, and then gets new ones
// (Trial.cpp): so it has no races and no overlaps, but computes other numbers.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Gradients and parameters
//===----------------------------------------------------------------------===//

Change zero::exchangeMembers(Victim &victim) {
  return exchangeIn(
      pick<FlattenOp>(victim,
                      [](FlattenOp op) { return op->getNumOperands() >= 2; }),
      victim.random);
}

Change zero::exchangePieces(Victim &victim, JoinOp join) {
  return exchangeIn(join, victim.random);
}

Change zero::exchangePieceGradients(Victim &victim, SplitOp a) {
  auto b = pick<SplitOp>(victim, [&](SplitOp other) {
    return other != a && other->getBlock() == a->getBlock() &&
           other.getWhole() == a.getWhole() && other.getType() == a.getType();
  });
  if (!b)
    return {};
  int64_t row = a.getRow();
  a.setRow(b.getRow());
  b.setRow(row);
  return describe(a) + ": rows from " + std::to_string(a.getRow()) +
         " and from " + std::to_string(row) + " exchanged";
}

/// Returns `bucket` with the rows of member `i` beginning at `row`.
static void setFirstRow(BucketOp bucket, unsigned i, int64_t row) {
  SmallVector<Attribute> members(bucket.getMembers().getValue());
  auto old = cast<MemberAttr>(members[i]);
  members[i] = MemberAttr::get(old.getContext(), old.getName(), old.getShape(),
                               old.getOffset(), row, old.getRows(),
                               old.getDecay(), old.getInit());
  bucket.setMembersAttr(ArrayAttr::get(bucket.getContext(), members));
}

Change zero::exchangeRows(Victim &victim) {
  SmallVector<std::pair<BucketOp, unsigned>> pieces;
  for (auto bucket : victim.module.getOps<BucketOp>())
    for (auto [i, member] :
         llvm::enumerate(bucket.getMembers().getAsRange<MemberAttr>()))
      if (member.isPiece())
        pieces.push_back({bucket, unsigned(i)});
  if (pieces.empty())
    return {};
  auto memberOf = [](std::pair<BucketOp, unsigned> &piece) {
    return cast<MemberAttr>(piece.first.getMembers()[piece.second]);
  };
  auto a = victim.random.pick(pieces);
  MemberAttr first = memberOf(a);
  llvm::erase_if(pieces, [&](auto &piece) {
    MemberAttr other = memberOf(piece);
    return other.getName() != first.getName() ||
           other.getShape() != first.getShape() ||
           other.getFirstRow() == first.getFirstRow();
  });
  if (pieces.empty())
    return {};
  auto b = victim.random.pick(pieces);
  MemberAttr second = memberOf(b);
  setFirstRow(a.first, a.second, second.getFirstRow());
  setFirstRow(b.first, b.second, first.getFirstRow());
  return "@" + a.first.getSymName().str() + " and @" +
         b.first.getSymName().str() + ": rows of " +
         first.getName().getValue().str() + " exchanged";
}

static bool isOfModel(Operation *op) {
  return isa<LaunchOp>(op) || isa<nn::NNDialect>(op->getDialect());
}

/// Returns true if a packed gradient depends on `value`.
static bool reachesPack(Value value) {
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  for (unsigned i = 0; i < users.size(); ++i) {
    if (isa<FlattenOp>(users[i]))
      return true;
    auto next = users[i]->getUsers();
    users.insert(next.begin(), next.end());
  }
  return false;
}

/// Replaces a sum by one of its terms of the same type.
Change zero::loseContribution(Victim &victim) {
  SmallVector<std::pair<OpResult, OpOperand *>> places;
  for (Operation *op : operationsOf(victim, isOfModel))
    for (OpResult result : op->getResults())
      if (reachesPack(result))
        for (OpOperand &operand : op->getOpOperands())
          if (operand.get().getType() == result.getType() &&
              !isa<BlockArgument>(operand.get()))
            places.push_back({result, &operand});
  if (places.empty())
    return {};
  auto [result, operand] = victim.random.pick(places);
  std::string text = describe(result) + ": its users take operand " +
                     std::to_string(operand->getOperandNumber());
  result.replaceAllUsesWith(operand->get());
  return text;
}

Change zero::packParameter(Victim &victim, FlattenOp flatten) {
  OpOperand &operand = // there is one at least
      flatten->getOpOperand(
          unsigned(victim.random.below(flatten->getNumOperands())));
  auto others = definedBefore(flatten, operand.get().getType());
  // Mostly a parameter, otherwise any value of its type.
  if (!victim.random.once(4))
    llvm::erase_if(others, [](Value value) {
      return !isa_and_present<ViewOp, JoinOp>(value.getDefiningOp());
    });
  return replaceOperand(operand, others, victim.random);
}

/// The model reads another state instead of its parameters.
Change zero::readMoment(Victim &victim) {
  Operation *op = pick(victim, [](Operation *op) {
    return isa<ViewOp, AllGatherOp>(op) &&
           isa<BlockArgument>(op->getOperand(0));
  });
  if (!op)
    return {};
  auto others = definedBefore(op, op->getOperand(0).getType());
  llvm::erase_if(others, [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return !argument ||
           !programOf(value).getArgAttr(argument.getArgNumber(), kStateAttr);
  });
  return replaceOperand(op->getOpOperand(0), others, victim.random);
}

/// Dequantizes the bytes of another packed parameter, or drops a dequantization
/// and reads another value of its type.
Change zero::wrongPacked(Victim &victim, UnpackOp op) {
  if (victim.random.once(2))
    return replaceOperand(op->getOpOperand(0),
                          definedBefore(op, op.getBytes().getType()),
                          victim.random);
  Value other = victim.random.pick(definedBefore(op, op.getResult().getType()));
  if (!other)
    return {};
  std::string text =
      describe(op) + ": dropped, and " + describe(other) + " is read";
  op.getResult().replaceAllUsesWith(other);
  op.erase();
  return text;
}

//===----------------------------------------------------------------------===//
// The model's operations
//===----------------------------------------------------------------------===//

Change zero::exchangeArguments(Victim &victim) {
  return exchangeIn(pick(victim, isOfModel), victim.random);
}

Change zero::replaceArgument(Victim &victim) {
  Operation *op = pick(victim, [](Operation *op) {
    return isOfModel(op) && op->getNumOperands() > 0;
  });
  if (!op)
    return {};
  OpOperand &operand =
      op->getOpOperand(unsigned(victim.random.below(op->getNumOperands())));
  return replaceOperand(operand, definedBefore(op, operand.get().getType()),
                        victim.random);
}

Change zero::transposeProduct(Victim &victim) {
  Operation *op =
      pick(victim, llvm::IsaPred<nn::MatmulOp, nn::GroupedMatmulOp>);
  if (!op)
    return {};
  StringRef which = victim.random.once(2) ? "transpose_a" : "transpose_b";
  if (isa<nn::GroupedMatmulOp>(op))
    which = "transposed";
  if (op->hasAttr(which))
    op->removeAttr(which);
  else
    op->setAttr(which, UnitAttr::get(op->getContext()));
  return describe(op) + ": " + which.str() + " is the other";
}

//===----------------------------------------------------------------------===//
// Losses and means
//===----------------------------------------------------------------------===//

Change zero::returnScalar(Victim &victim, ProgramOp program) {
  Operation *end = program.front().getTerminator();
  SmallVector<unsigned> outputs;
  for (unsigned i = 0, e = end->getNumOperands(); i != e; ++i)
    if (program.getResultAttr(i, kOutputAttr))
      outputs.push_back(i);
  if (outputs.empty())
    return {};
  OpOperand &operand = end->getOpOperand(victim.random.pick(outputs));
  auto others = definedBefore(end, operand.get().getType());
  if (!victim.random.once(4))
    llvm::erase_if(others, [](Value value) { return value.getDefiningOp(); });
  return replaceOperand(operand, others, victim.random);
}

/// Replaces a mean over ranks by the rank's own value.
Change zero::useOwnMean(Victim &victim, AllReduceOp mean) {
  std::string text = describe(mean) + ": dropped, without zero.same anywhere";
  mean.getResult().replaceAllUsesWith(mean.getValue());
  mean.erase();
  for (LaunchOp launch : operationsOf<LaunchOp>(victim))
    launch->removeAttr(kSameAttr);
  return text;
}

/// A micro-step divides by its own count, instead of the mean of @count.
Change zero::countAlone(Victim &victim) {
  ProgramOp count = findProgram(victim.module, "count", 0);
  SmallVector<ProgramOp> programs;
  for (ProgramOp program : victim.programs)
    if (program != count)
      programs.push_back(program);
  if (!count || programs.empty())
    return {};
  ProgramOp program = victim.random.pick(programs);
  Block &body = program.front();
  SmallVector<BlockArgument> scalars;
  Operation *end = count.front().getTerminator();
  auto counted = [&](StringAttr name) {
    for (unsigned i = 0, e = end->getNumOperands(); i != e; ++i)
      if (name && count.getResultAttr(i, kOutputAttr) == name)
        return end->getOperand(i);
    return Value();
  };
  auto nameOf = [&](BlockArgument argument) {
    return program.getScalar(argument.getArgNumber());
  };
  for (BlockArgument argument : body.getArguments())
    if (counted(nameOf(argument)) && !argument.use_empty())
      scalars.push_back(argument);
  if (scalars.empty())
    return {};
  BlockArgument scalar = victim.random.pick(scalars);
  IRMapping map;
  for (auto [theirs, mine] :
       llvm::zip_equal(count.getArguments(), program.getArguments()))
    map.map(theirs, mine);
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (Operation &op : count.front().without_terminator())
    b.clone(op, map);
  scalar.replaceAllUsesWith(map.lookup(counted(nameOf(scalar))));
  return describe(Value(scalar)) + ": counted in this program alone";
}
