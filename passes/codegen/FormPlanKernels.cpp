//===- FormPlanKernels.cpp - Kernels of the plan's own operations ---------===//
//
//   zero.update       the optimizer's region over elements, with weight decay
//                     as a constant: one kernel without it, one with it;
//                     without masters parameters are rounded by chance
//                     (StochasticRounding.h)
//   zero.accumulate   sum + scale x gradient
//   zero.add_leaf,    the sums of a binary tree of micro-steps, and its root
//   zero.sum_leaves
//   zero.clear,       zeros
//   zero.zeros
//   zero.total        partial sums added in order
//   zero.clip         the same, then norm and factor
//
// Each gets a kernel next to the model's, and then names it:
//
//   %1 = zero.clear %0 of @b0         %1 = zero.clear %0 of @b0
//       : !zero.shard<64 x f32>           {zero.kernels = [@clear]} : ...
//                                 =>  zero.kernel @clear(%out: memref<?xf32>)
//                                         units columns [?] {
//                                       %0 = arith.constant 0.0 : f32
//                                       linalg.fill ins(%0) outs(%out)
//                                       zero.return
//                                     }
//
// A kernel is a list of linalg operations on memrefs, as the model's kernels
// are after bufferization: operands and results may have the same bytes.
// Elementwise kernels work on buckets of any size, and operations of equal
// types share them.
//
// zero.sum_squares works on members of a rank's slice and is part of the
// runtime.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Passes.h"
#include "passes/codegen/loops/StochasticRounding.h"
#include "passes/codegen/tables/Dispatch.h"

#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Format.h"

#define DEBUG_TYPE "zero-form-plan-kernels"

namespace mlir::zero {
#define GEN_PASS_DEF_FORMPLANKERNELS
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;
using nn::S;

namespace {

using Iterators = SmallVector<utils::IteratorType>;

class PlanKernels {
public:
  explicit PlanKernels(ModuleOp plan)
      : plan(plan), loc(plan.getLoc()), b(plan.getContext()) {}

  SmallVector<KernelOp> getOrCreate(UpdateOp op) {
    KernelOp plain = update(op, 0),
             decayed = update(op, op.getDecay().convertToDouble());
    decayed->setAttr(kPlainAttr, FlatSymbolRefAttr::get(plain));
    return {plain, decayed};
  }
  SmallVector<KernelOp> getOrCreate(AccumulateOp op);
  SmallVector<KernelOp> getOrCreate(AddLeafOp op);
  SmallVector<KernelOp> getOrCreate(SumLeavesOp op);
  SmallVector<KernelOp> getOrCreate(ClearOp op) { return {clear(op)}; }
  SmallVector<KernelOp> getOrCreate(ZerosOp op) { return {clear(op)}; }
  SmallVector<KernelOp> getOrCreate(TotalOp op);
  SmallVector<KernelOp> getOrCreate(ClipOp op);

private:
  ModuleOp plan;
  Location loc;
  OpBuilder b;
  /// Elementwise kernels, by name and type.
  DenseMap<std::pair<StringAttr, Type>, KernelOp> elementwise;

  using Fill = llvm::function_ref<void(ValueRange)>;
  KernelOp update(UpdateOp op, double decay);
  KernelOp clear(Operation *op);
  KernelOp create(StringRef name, ArrayRef<Type> arguments, KernelKind kind,
                  ArrayRef<int64_t> space, Fill fill);
  KernelOp createSerial(Operation *op, StringRef name, Fill fill);
  KernelOp getOrCreateElementwise(Operation *op, const Twine &name, Fill fill);

  AffineMap identity(unsigned rank) { return b.getMultiDimIdentityMap(rank); }
  /// Maps every loop of `rank` to a scalar.
  AffineMap scalar(unsigned rank) {
    return AffineMap::get(rank, 0, b.getContext());
  }

  void fillZero(Value buffer);
  void addAll(ValueRange partials, Value sum);
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

/// `number` as a part of a name: with six digits if they suffice, else with 17.
static std::string nameOf(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  if (std::strtod(text.c_str(), nullptr) != number) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.17g", number);
  }
  return text;
}

/// Creates a kernel whose body `fill` writes, under a name that is free in the
/// plan.
KernelOp PlanKernels::create(StringRef name, ArrayRef<Type> arguments,
                             KernelKind kind, ArrayRef<int64_t> space,
                             Fill fill) {
  std::string unique = name.str();
  for (int i = 2; plan.lookupSymbol(unique); ++i)
    unique = (name + "." + Twine(i)).str();
  b.setInsertionPointToEnd(plan.getBody());
  auto kernel = KernelOp::create(b, loc, unique,
                                 b.getFunctionType(arguments, {}), kind, space);
  Block *body = kernel.addEntryBlock();
  b.setInsertionPointToEnd(body);
  fill(SmallVector<Value>(body->getArguments()));
  ReturnOp::create(b, loc, ValueRange());
  return kernel;
}

/// A kernel of one unit, for this operation alone.
KernelOp PlanKernels::createSerial(Operation *op, StringRef name, Fill fill) {
  auto types =
      llvm::map_to_vector(getKernelArguments(op), [](Value value) -> Type {
        auto tensor = cast<RankedTensorType>(value.getType());
        return MemRefType::get(tensor.getShape(), tensor.getElementType());
      });
  return create(name, types, KernelKind::Serial, {}, fill);
}

/// A kernel of elements: buckets of any length, and scalars.
KernelOp PlanKernels::getOrCreateElementwise(Operation *op, const Twine &name,
                                             Fill fill) {
  auto update = dyn_cast<UpdateOp>(op);
  Value rounding = update ? update.getRounding() : Value();
  auto types =
      llvm::map_to_vector(getKernelArguments(op), [&](Value value) -> Type {
        Type type = value.getType();
        if (rounding && value == rounding)
          return MemRefType::get({RoundingKey::kWords}, b.getI32Type());
        RankedTensorType tensor = getHeldTensor(type);
        SmallVector<int64_t> shape;
        if (!tensor || tensor.getRank() != 0)
          shape.push_back(ShapedType::kDynamic);
        return MemRefType::get(shape, getElementType(type));
      });
  KernelOp &kernel =
      elementwise[{b.getStringAttr(name), b.getFunctionType(types, {})}];
  if (!kernel)
    kernel = create(name.str(), types, KernelKind::Columns,
                    {ShapedType::kDynamic}, fill);
  return kernel;
}

void PlanKernels::fillZero(Value buffer) {
  Value zero = nn::constant(b, loc, typeOf(buffer).getElementType(), 0);
  linalg::FillOp::create(b, loc, zero, buffer);
}

/// sum = each element of each operand, added in order.
void PlanKernels::addAll(ValueRange partials, Value sum) {
  fillZero(sum);
  for (Value partial : partials) {
    unsigned rank = typeOf(partial).getRank();
    linalg::GenericOp::create(
        b, loc, TypeRange(), partial, sum, {identity(rank), scalar(rank)},
        Iterators(rank, utils::IteratorType::reduction),
        [](OpBuilder &at, Location where, ValueRange in) {
          S all = S(at, where, in[1]) + S(at, where, in[0]);
          linalg::YieldOp::create(at, where, ValueRange{all});
        });
  }
}

//===----------------------------------------------------------------------===//
// Computations of the operations
//===----------------------------------------------------------------------===//

/// The argument of `rule` that is the factor of zero.clip.
static BlockArgument getClip(OptimizerOp rule) {
  unsigned next = 2 + rule.getSlots().size();
  for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>()) {
    if (name == kClipFactor)
      return rule.getBody().getArgument(next);
    ++next;
  }
  llvm_unreachable("an optimizer without a factor");
}

KernelOp PlanKernels::update(UpdateOp op, double decay) {
  auto rule = plan.lookupSymbol<OptimizerOp>(op.getOptimizer());
  auto fill = [&](ValueRange all) {
    SmallVector<Value> values(all);
    unsigned inputs = op.getNumOperands();
    std::optional<RoundingKey> key;
    if (op.getRounding()) { // the key is the last input
      key = RoundingKey::load(b, loc, values[--inputs]);
      values.erase(values.begin() + inputs);
    }
    auto maps = llvm::map_to_vector(values, [&](Value value) {
      return typeOf(value).getRank() ? identity(1) : scalar(1);
    });
    linalg::GenericOp::create(
        b, loc, TypeRange(), ArrayRef(values).take_front(inputs),
        ArrayRef(values).drop_front(inputs), maps,
        Iterators{utils::IteratorType::parallel},
        [&](OpBuilder &at, Location where, ValueRange in) {
          Block &body = rule.getBody().front();
          unsigned flat = 2 + rule.getSlots().size();
          // Parameter or its master, gradient and slots; then the scalars.
          // Decay is a scalar of the rule, but no operand of the operation.
          IRMapping map;
          auto next = in.begin();
          for (BlockArgument argument : body.getArguments().slice(
                   op.getParam() ? 0 : 1, op.getParam() ? flat : flat - 1))
            map.map(argument, nn::widen(at, where, *next++));
          if (op.getMaster())
            map.map(body.getArgument(0), *next++);
          for (auto [name, argument] :
               llvm::zip_equal(rule.getScalars().getAsValueRange<StringAttr>(),
                               body.getArguments().drop_front(flat)))
            map.map(argument,
                    name == "decay"
                        ? nn::constant(at, where, argument.getType(), decay)
                        : *next++);
          for (Operation &inner : body.without_terminator())
            at.clone(inner, map);
          auto results = llvm::map_to_vector(
              body.getTerminator()->getOperands(),
              [&](Value value) { return map.lookupOrDefault(value); });
          if (op.getSkipNonfinite()) {
            // The factor is NaN in a step that changes nothing.
            Value clip = map.lookup(getClip(rule));
            Value isFinite = arith::CmpFOp::create(
                at, where, arith::CmpFPredicate::ORD, clip, clip);
            for (auto [i, result] : llvm::enumerate(results)) {
              Value old = map.lookup(body.getArgument(i ? 1 + i : 0));
              result =
                  arith::SelectOp::create(at, where, isFinite, result, old);
            }
          }
          if (op.getMaster())
            results.push_back(results.front());
          if (key) {
            Value place = linalg::IndexOp::create(at, where, 0);
            results[0] = roundByChance(at, where, results[0],
                                       drawBits(at, where, *key, place));
          }
          for (auto [result, old] : llvm::zip(results, in.drop_front(inputs)))
            result = nn::roundTo(at, where, result, old.getType());
          linalg::YieldOp::create(at, where, results);
        });
  };
  return getOrCreateElementwise(op,
                                rule.getSymName() + "_decay" + nameOf(decay) +
                                    (op.getSkipNonfinite() ? "_skip" : "") +
                                    (op.getRounding() ? "_chance" : "") +
                                    (op.getParam() ? "" : "_of_master"),
                                fill);
}

SmallVector<KernelOp> PlanKernels::getOrCreate(AccumulateOp op) {
  double scale = op.getScale().convertToDouble();
  auto fill = [&](ValueRange values) {
    linalg::GenericOp::create(
        b, loc, TypeRange(), values.take_front(2), values.drop_front(2),
        SmallVector<AffineMap>(3, identity(1)),
        Iterators{utils::IteratorType::parallel},
        [&](OpBuilder &at, Location where, ValueRange in) {
          S sum(at, where, nn::widen(at, where, in[0])),
              more(at, where, nn::widen(at, where, in[1]));
          if (scale != 1)
            more = scale * more;
          linalg::YieldOp::create(
              at, where,
              nn::roundTo(at, where, (sum + more).v, in[2].getType()));
        });
  };
  return {getOrCreateElementwise(op, "accumulate_scale" + nameOf(scale), fill)};
}

/// The arguments are the gradients, the sums, the number, and the next sums.
SmallVector<KernelOp> PlanKernels::getOrCreate(AddLeafOp op) {
  const size_t sums = op.getSums().size();
  auto fill = [&](ValueRange values) {
    SmallVector<AffineMap> maps(values.size(), identity(1));
    maps[1 + sums] = scalar(1);
    linalg::GenericOp::create(
        b, loc, TypeRange(), values.take_front(2 + sums),
        values.take_back(sums), maps, Iterators{utils::IteratorType::parallel},
        [&](OpBuilder &at, Location where, ValueRange in) {
          auto constant = [&](uint64_t bits) -> Value {
            return arith::ConstantOp::create(
                at, where, at.getI64IntegerAttr(int64_t(bits)));
          };
          S total(at, where, nn::widen(at, where, in[0]));
          SmallVector<Value> next;
          for (size_t j = 0; j < sums; ++j) {
            // Whether bits 0 to j are ones up to bit j, which is zero.
            Value bits = arith::AndIOp::create(
                at, where, in[1 + sums], constant((uint64_t{2} << j) - 1));
            Value isHere =
                arith::CmpIOp::create(at, where, arith::CmpIPredicate::eq, bits,
                                      constant((uint64_t{1} << j) - 1));
            Value sum = in[1 + j];
            next.push_back(
                arith::SelectOp::create(at, where, isHere, total.v, sum));
            total = S(at, where, sum) + total;
          }
          linalg::YieldOp::create(at, where, next);
        });
  };
  return {getOrCreateElementwise(op, "add_leaf_" + Twine(sums), fill)};
}

SmallVector<KernelOp> PlanKernels::getOrCreate(SumLeavesOp op) {
  const double scale = op.getScale().convertToDouble();
  const size_t sums = op.getSums().size();
  auto fill = [&](ValueRange values) {
    linalg::GenericOp::create(
        b, loc, TypeRange(), values.drop_back(), values.take_back(1),
        SmallVector<AffineMap>(values.size(), identity(1)),
        Iterators{utils::IteratorType::parallel},
        [&](OpBuilder &at, Location where, ValueRange in) {
          S total(at, where, nn::widen(at, where, in[0]));
          for (Value sum : in.slice(1, sums))
            total = S(at, where, sum) + total;
          if (scale != 1)
            total = scale * total;
          linalg::YieldOp::create(at, where, total.v);
        });
  };
  return {getOrCreateElementwise(
      op, "sum_leaves_" + Twine(sums) + "_scale" + nameOf(scale), fill)};
}

KernelOp PlanKernels::clear(Operation *op) {
  return getOrCreateElementwise(
      op, "clear", [&](ValueRange values) { fillZero(values[0]); });
}

SmallVector<KernelOp> PlanKernels::getOrCreate(TotalOp op) {
  return {createSerial(op, "squares_total", [&](ValueRange values) {
    addAll(values.drop_back(), values.back());
  })};
}

SmallVector<KernelOp> PlanKernels::getOrCreate(ClipOp op) {
  return {createSerial(op, "grad_norm", [&](ValueRange values) {
    ValueRange partials = values.take_front(op.getPartials().size()),
               results = values.take_back(2);
    Type wide = typeOf(partials.front()).getElementType();
    Value sum = memref::AllocaOp::create(b, loc, MemRefType::get({}, wide));
    addAll(partials, sum);
    SmallVector<Value> inputs = {sum};
    llvm::append_range(inputs, values.drop_front(partials.size()).drop_back(2));
    linalg::GenericOp::create(
        b, loc, TypeRange(), inputs, results,
        SmallVector<AffineMap>(inputs.size() + 2, identity(0)), Iterators{},
        [&](OpBuilder &at, Location where, ValueRange in) {
          S root = nn::sqrt(S(at, where, in[0]));
          if (op.getScale())
            root = root / root.with(arith::ExtFOp::create(
                              at, where, at.getF64Type(), in[1]));
          S norm = root.with(
              arith::TruncFOp::create(at, where, in.back().getType(), root.v));
          S factor = norm.constant(1);
          if (op.getMaxNorm()) {
            S limit =
                op.getMaxNorm()->convertToDouble() / (norm + ClipOp::kEpsilon);
            factor = limit.apply<arith::MinimumFOp>(factor);
          }
          if (op.getScale())
            factor = factor / norm.with(in[1]);
          if (op.maySkip()) {
            ValueRange within =
                in.drop_back(2).take_back(op.getWithin().size());
            S loss = norm.constant(0);
            for (Value one : within.drop_front(2))
              loss = loss + norm.with(one);
            auto isWithin = [&](S number, Value limit) -> Value {
              return arith::CmpFOp::create(at, where, arith::CmpFPredicate::OLE,
                                           number.v, limit);
            };
            Value keeps =
                arith::AndIOp::create(at, where, isWithin(norm, within[0]),
                                      isWithin(loss, within[1]));
            factor = nn::select(
                keeps, factor,
                norm.constant(std::numeric_limits<double>::quiet_NaN()));
          }
          linalg::YieldOp::create(at, where, ValueRange{norm, factor});
        });
  })};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct FormPlanKernels : zero::impl::FormPlanKernelsBase<FormPlanKernels> {
  void runOnOperation() override {
    PlanKernels kernels(getOperation());
    for (ProgramOp program : findPrograms(getOperation()))
      for (Operation &op : program.front())
        name(&op, llvm::TypeSwitch<Operation *, SmallVector<KernelOp>>(&op)
                      .Case<UpdateOp, AccumulateOp, AddLeafOp, SumLeavesOp,
                            ClearOp, ZerosOp, TotalOp, ClipOp>(
                          [&](auto one) { return kernels.getOrCreate(one); })
                      .Default(SmallVector<KernelOp>()));
  }

  /// Makes `op` name `kernels`, in place of those that it named before.
  void name(Operation *op, ArrayRef<KernelOp> kernels) {
    op->removeAttr(kKernelsAttr);
    if (kernels.empty())
      return;
    auto names = llvm::map_to_vector(kernels, [](KernelOp kernel) -> Attribute {
      return FlatSymbolRefAttr::get(kernel);
    });
    op->setAttr(kKernelsAttr, ArrayAttr::get(&getContext(), names));
    LDBG() << op->getName() << " at " << op->getLoc() << " launches "
           << op->getAttr(kKernelsAttr);
  }
};

} // namespace
