//===- FuseBuckets.cpp - Merges buckets of neighbouring parameters --------===//
//
// In every program each bucket has the same chain of operations: a gather, a
// pack and what follows it, an update and what follows that.  The chains of a
// group's buckets merge link by link: the n-th operation of a kind of each
// becomes one operation on the new bucket.
//
//   gather of parameters    where the first of them stood
//   pack ... norm           after the last of the packs: all members are there
//   update ...              where the first update stood
//
//===----------------------------------------------------------------------===//

#include "passes/partition/BucketValues.h"
#include "dialect/zero/Storage.h"
#include "passes/partition/Passes.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace mlir::zero {
#define GEN_PASS_DEF_FUSEBUCKETS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// A bucket in the making.
struct Group {
  SmallVector<BucketOp> old;
  std::string name;
  /// For messages: the name, and what it holds.
  std::string label;
  SmallVector<MemberAttr> members;
  int64_t oldElements = 0, elements = 0;
};

/// "h.0.attn.c_fc.weight" -> "h.0"; "wte.weight" -> "wte".
StringRef blockOf(StringRef parameter) {
  for (size_t begin = 0; begin < parameter.size();) {
    size_t end = std::min(parameter.find('.', begin), parameter.size());
    StringRef word = parameter.slice(begin, end);
    if (end < parameter.size() && !word.empty() &&
        llvm::all_of(word, [](char c) { return llvm::isDigit(c); }))
      return parameter.take_front(end);
    begin = end + 1;
  }
  return parameter.contains('.') ? parameter.rsplit('.').first : parameter;
}

StringRef firstMember(BucketOp bucket) {
  return cast<MemberAttr>(bucket.getMembers()[0]).getName().getValue();
}

/// The groups of one program, merged.
class Merger {
public:
  Merger(func::FuncOp function, ArrayRef<Group> groups, int64_t ranks)
      : function(function), block(function.getBody().front()),
        b(function.getContext()), groups(groups), ranks(ranks) {}

  void run() {
    replaceArguments();
    findLinks();
    for (size_t g = 0; g < groups.size(); ++g)
      mergeChain(g);
    dropRepeats();
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    block.eraseArguments(0, oldCount);
    function.setType(b.getFunctionType(
        block.getArgumentTypes(),
        ValueRange(block.getTerminator()->getOperands()).getTypes()));
    function.setArgAttrsAttr(b.getArrayAttr(argAttrs));
  }

private:
  /// A place in a bucket's chain: the n-th operation of that name.
  using Link = std::pair<OperationName, unsigned>;

  func::FuncOp function;
  Block &block;
  OpBuilder b;
  ArrayRef<Group> groups;
  int64_t ranks;
  unsigned oldCount = 0;
  SmallVector<Attribute> argAttrs, resultAttrs;
  DenseMap<Value, Value> merged; ///< old value to new
  /// By slot and group: the new argument.
  std::map<std::pair<StringRef, std::string>, Value> states;
  DenseMap<Attribute, size_t> groupOf;
  DenseMap<Attribute, BucketOp> buckets; ///< the old ones, by name
  /// By group, then link in program order: the operations that merge.
  SmallVector<llvm::MapVector<Link, SmallVector<Operation *>>> links;
  SmallVector<SmallVector<ViewOp>> views;
  SmallVector<Operation *> dead;

  void replaceArguments() {
    oldCount = block.getNumArguments();
    for (auto [g, group] : llvm::enumerate(groups))
      for (BucketOp bucket : group.old) {
        groupOf[bucket.getSymNameAttr()] = g;
        buckets[bucket.getSymNameAttr()] = bucket;
      }
    // Slot by slot, one argument per group, in the groups' order.
    for (unsigned i = 0; i < oldCount; ++i) {
      BlockArgument old = block.getArgument(i);
      auto state = function.getArgAttrOfType<StateAttr>(i, kStateAttr);
      if (!state) {
        Value now = block.addArgument(old.getType(), old.getLoc());
        argAttrs.push_back(function.getArgAttrDict(i));
        old.replaceAllUsesWith(now);
        continue;
      }
      const Group &group = groups[groupOf.lookup(state.getBucket().getAttr())];
      auto symbol = FlatSymbolRefAttr::get(b.getContext(), group.name);
      auto attr = StateAttr::get(b.getContext(), symbol, state.getSlot());
      Value &now = states[{state.getSlot(), group.name}];
      if (!now) {
        now = block.addArgument(retypeState(old.getType(), group.elements),
                                NameLoc::get(b.getStringAttr(group.label)));
        argAttrs.push_back(
            b.getDictionaryAttr(b.getNamedAttr(kStateAttr, attr)));
      }
      merged[old] = now;
    }
  }
  void findLinks() {
    links.resize(groups.size());
    views.resize(groups.size());
    DenseMap<std::pair<Attribute, OperationName>, unsigned> seen;
    for (Operation &op : block) {
      FlatSymbolRefAttr bucket = getBucketRef(&op);
      if (!bucket)
        continue;
      size_t g = groupOf.lookup(bucket.getAttr());
      if (auto view = dyn_cast<ViewOp>(op)) {
        views[g].push_back(view);
        continue;
      }
      unsigned n = seen[{bucket.getAttr(), op.getName()}]++;
      links[g][{op.getName(), n}].push_back(&op);
    }
  }

  /// A gather of parameters, not of gradients or after an update.
  static bool gathersState(Operation *op) {
    return isa<AllGatherOp>(op) && isa<BlockArgument>(op->getOperand(0));
  }

  void mergeChain(size_t g) {
    const Group &group = groups[g];
    // What follows a pack goes after the group's last one, in the order of the
    // chain; what belongs to the update to where the first update stood.
    Operation *last = nullptr, *update = nullptr;
    for (auto &[link, ops] : links[g]) {
      if (isa<PackOp>(ops.front()))
        last = ops.back();
      if (isa<UpdateOp>(ops.front()))
        update = ops.front();
    }
    for (auto &[link, ops] : links[g]) {
      Operation *first = ops.front();
      if (gathersState(first)) {
        b.setInsertionPoint(first);
        mergeLink(group, ops);
      } else if (update && !first->isBeforeInBlock(update)) {
        b.setInsertionPoint(update);
        mergeLink(group, ops);
      } else {
        b.setInsertionPointAfter(last);
        last = mergeLink(group, ops);
      }
    }
    auto symbol = FlatSymbolRefAttr::get(b.getContext(), group.name);
    for (ViewOp view : views[g]) {
      view.getFlatMutable().assign(merged.lookup(view.getFlat()));
      view.setBucketAttr(symbol);
    }
  }

  Operation *mergeLink(const Group &group, ArrayRef<Operation *> ops) {
    Operation *now = b.clone(*ops.front());
    now->setLoc(NameLoc::get(b.getStringAttr(group.label), now->getLoc()));
    now->setAttr("bucket", FlatSymbolRefAttr::get(b.getContext(), group.name));
    if (isa<PackOp>(now)) {
      now->setOperands(packed(group, ops));
    } else {
      for (OpOperand &operand : now->getOpOperands())
        if (Value value = merged.lookup(operand.get()))
          operand.set(value);
    }
    for (OpResult result : now->getResults())
      result.setType(retypeFor(now, result.getType(), group.members,
                               group.elements, ranks));
    for (Operation *op : ops) {
      dead.push_back(op);
      for (auto [old, result] : llvm::zip(op->getResults(), now->getResults()))
        merged[old] = result;
    }
    return now;
  }

  /// The operands of all packs, in the order of the group's members.
  SmallVector<Value> packed(const Group &group, ArrayRef<Operation *> packs) {
    DenseMap<Attribute, Value> gradients;
    for (Operation *op : packs) {
      BucketOp bucket = buckets.lookup(getBucketRef(op).getAttr());
      for (auto [member, gradient] : llvm::zip(
               bucket.getMembers().getAsRange<MemberAttr>(), op->getOperands()))
        gradients[member.getName()] = gradient;
    }
    SmallVector<Value> operands;
    for (MemberAttr member : group.members)
      operands.push_back(gradients.lookup(member.getName()));
    return operands;
  }

  /// What reads one value per bucket (the norm, the return) reads one per
  /// group.
  void dropRepeats() {
    for (Operation &op : block) {
      if (!isa<TotalOp, ClipOp, func::ReturnOp>(op))
        continue;
      SmallVector<Value> operands;
      DenseSet<Value> taken;
      SmallVector<Attribute> attrs;
      for (OpOperand &operand : op.getOpOperands()) {
        Value now = merged.lookup(operand.get());
        bool isNew = taken.insert(now ? now : operand.get()).second;
        if (now && !isNew)
          continue;
        operands.push_back(now ? now : operand.get());
        if (isa<func::ReturnOp>(op))
          attrs.push_back(
              function.getResultAttrDict(operand.getOperandNumber()));
      }
      op.setOperands(operands);
      for (Attribute &attr : attrs)
        if (!attr)
          attr = b.getDictionaryAttr({});
      if (isa<func::ReturnOp>(op))
        resultAttrs = attrs;
    }
    // The type comes later; attributes are by result.
    function.removeResAttrsAttr();
    function->setAttr(function.getResAttrsAttrName(),
                      b.getArrayAttr(resultAttrs));
  }
};

struct FuseBucketsPass : zero::impl::FuseBucketsBase<FuseBucketsPass> {
  using FuseBucketsBase::FuseBucketsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (bucketSize < 0) {
      module.emitError("bucket-size=")
          << bucketSize.getValue() << "; use a number of bytes";
      return signalPassFailure();
    }
    auto step = module.lookupSymbol<func::FuncOp>("step");
    auto axis = module.lookupSymbol<AxisOp>("dp");
    if (!step || !axis) {
      module.emitError("has no partitioned @step; run zero-partition-state "
                       "first");
      return signalPassFailure();
    }
    ranks = axis.getSize();
    for (StringRef name : {"micro", "step"})
      if (auto program = module.lookupSymbol<func::FuncOp>(name))
        if (failed(checkChains(module, program)))
          return signalPassFailure();
    SmallVector<Group> groups = formGroups(module, step);
    for (Group &group : groups)
      layOut(group);
    for (func::FuncOp program : findPrograms(module))
      Merger(program, groups, ranks).run();
    replaceBuckets(groups);
  }

private:
  int64_t ranks = 1;

  /// Every bucket has parameters and one pack of gradients in each program.
  LogicalResult checkChains(ModuleOp module, func::FuncOp program) {
    DenseSet<Attribute> parameters;
    for (BlockArgument arg : program.getArguments())
      if (auto state = program.getArgAttrOfType<StateAttr>(arg.getArgNumber(),
                                                           kStateAttr))
        if (state.getSlot() == "param")
          parameters.insert(state.getBucket().getAttr());
    DenseMap<Attribute, int64_t> packs;
    for (auto pack : program.front().getOps<PackOp>())
      ++packs[pack.getBucketAttr().getAttr()];
    for (BucketOp bucket : module.getOps<BucketOp>()) {
      StringAttr name = bucket.getSymNameAttr();
      if (bucket.getMembers().empty() || !parameters.contains(name) ||
          packs.lookup(name) != 1)
        return bucket.emitOpError("needs a member, a \"param\" state and one "
                                  "zero.pack in @")
               << program.getName()
               << "; run zero-partition-state to make them";
    }
    return success();
  }

  SmallVector<Group> formGroups(ModuleOp module, func::FuncOp step) {
    DenseMap<Attribute, Type> kept;
    for (BlockArgument arg : step.getArguments())
      if (auto state =
              step.getArgAttrOfType<StateAttr>(arg.getArgNumber(), kStateAttr))
        if (state.getSlot() == "param")
          kept[state.getBucket().getAttr()] = arg.getType();
    auto isWhole = [&](BucketOp bucket) {
      return cast<ShardType>(kept.lookup(bucket.getSymNameAttr())).getRanks() ==
             1;
    };
    // A group is open for parameters that are kept like its own.
    SmallVector<Group> groups;
    std::optional<size_t> open[2];
    for (BucketOp bucket : module.getOps<BucketOp>()) {
      std::optional<size_t> &mine = open[isWhole(bucket)];
      if (!mine || !fits(groups[*mine], bucket)) {
        mine = groups.size();
        groups.push_back({{}, "b" + std::to_string(groups.size()), {}, {}});
      }
      groups[*mine].old.push_back(bucket);
      groups[*mine].oldElements += bucket.getElements();
    }
    return groups;
  }

  /// Pieces of a parameter are produced in one run of bytes: each has a bucket
  /// of its own.
  static bool isPiece(BucketOp bucket) {
    return cast<MemberAttr>(bucket.getMembers()[0]).isPiece();
  }

  bool fits(const Group &group, BucketOp bucket) {
    if (isPiece(bucket) || isPiece(group.old.front()))
      return false;
    if (bucketSize == 0)
      return blockOf(firstMember(group.old.back())) ==
             blockOf(firstMember(bucket));
    int64_t elements = group.oldElements + bucket.getElements();
    return elements * 4 <= bucketSize;
  }

  /// Members one after the other, those with decay first.
  void layOut(Group &group) {
    for (bool decay : {true, false})
      for (BucketOp bucket : group.old)
        for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
          if (member.getDecay() != decay)
            continue;
          group.members.push_back(MemberAttr::get(
              &getContext(), member.getName(), member.getShape(),
              group.elements, member.getFirstRow(), member.getRows(), decay,
              member.getInit()));
          group.elements +=
              llvm::alignTo(member.getNumElements(), BucketOp::kAlignment);
        }
    group.elements =
        llvm::alignTo(group.elements, ranks * BucketOp::kAlignment);
    // "b2 (h.0)", or with the first parameter and how many follow.
    StringRef first = firstMember(group.old.front());
    size_t more = group.members.size() - 1;
    bool isBlock = more > 0 && llvm::all_of(group.old, [&](BucketOp bucket) {
                     return blockOf(firstMember(bucket)) == blockOf(first);
                   });
    group.label =
        (group.name + " (" + (isBlock ? blockOf(first) : first) +
         (isBlock || more == 0 ? "" : " and " + Twine(more) + " more") + ")")
            .str();
  }

  void replaceBuckets(ArrayRef<Group> groups) {
    for (const Group &group : groups) {
      OpBuilder b(group.old.front());
      SmallVector<Attribute> members(group.members.begin(),
                                     group.members.end());
      BucketOp::create(b, group.old.front()->getLoc(), group.name, "dp",
                       group.elements, b.getArrayAttr(members));
    }
    for (const Group &group : groups)
      for (BucketOp bucket : group.old)
        bucket.erase();
  }
};

} // namespace
