//===- PlanKernels.cpp - Kernels of the plan's own operations -------------===//
//
//   zero.update       the optimizer's region over elements, with weight decay
//                     as a constant: one kernel with it, one without
//   zero.accumulate   sum + scale x gradient
//   zero.clear        zeros
//   zero.total        partial sums added in order
//   zero.clip         the same, then norm and factor
//
// Each kernel is a list of linalg operations on memrefs, the form that
// UnitLoops.cpp turns into vector loops.  zero.sum_squares works on members of
// a rank's slice and is the runtime's.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/PlanKernels.h"

#include "dialect/nn/Scalar.h"
#include "dialect/zero/KernelUnits.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::zero;
using nn::S;

namespace {

using Iterators = SmallVector<utils::IteratorType>;

class PlanKernelBuilder {
public:
  PlanKernelBuilder(ModuleOp module) : module(module), b(module.getContext()) {}

  KernelOp update(OptimizerOp rule, double decay);
  KernelOp accumulate(double scale);
  KernelOp clear();
  KernelOp total(TotalOp op);
  KernelOp clip(ClipOp op);

private:
  /// Elementwise kernels loop from where to where the caller says; their
  /// operands have a shape in name only.
  static constexpr int64_t kAnyCount = int64_t(1) << 40;

  ModuleOp module;
  OpBuilder b;
  llvm::StringMap<KernelOp> made;

  /// `number` as a part of a name: with six digits where they tell it.
  static std::string nameOf(double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", number);
    if (std::strtod(text.c_str(), nullptr) != number) {
      text.clear();
      llvm::raw_string_ostream(text) << llvm::format("%.17g", number);
    }
    return text;
  }

  /// A name that no other kernel has.
  std::string unique(StringRef stem) {
    std::string name = stem.str();
    for (int i = 2; module.lookupSymbol(name); ++i)
      name = (stem + "." + Twine(i)).str();
    return name;
  }

  SmallVector<Type> memrefsOf(ValueRange partials) {
    SmallVector<Type> types;
    for (Value partial : partials)
      types.push_back(
          memref(cast<RankedTensorType>(partial.getType()).getShape(),
                 b.getF64Type()));
    return types;
  }

  /// sum += each element of each operand, in order.
  void addAll(ValueRange partials, Value sum) {
    fillZero(sum);
    for (Value partial : partials) {
      unsigned rank = cast<MemRefType>(partial.getType()).getRank();
      linalg::GenericOp::create(
          b, module.getLoc(), TypeRange(), ValueRange{partial}, ValueRange{sum},
          {identity(rank), leading(rank, 0)},
          Iterators(rank, utils::IteratorType::reduction),
          [](OpBuilder &at, Location where, ValueRange in) {
            S all = S(at, where, in[1]) + S(at, where, in[0]);
            linalg::YieldOp::create(at, where, ValueRange{all});
          });
    }
  }

  MemRefType memref(ArrayRef<int64_t> shape, Type element) {
    return MemRefType::get(shape, element);
  }
  AffineMap identity(unsigned rank) {
    return AffineMap::getMultiDimIdentityMap(rank, b.getContext());
  }
  /// Maps `rank` loops to the first `kept` of them.
  AffineMap leading(unsigned rank, unsigned kept) {
    return AffineMap::get(rank, 0, identity(rank).getResults().take_front(kept),
                          b.getContext());
  }

  /// The kernel that was made by that name, or a new one whose body `fill`
  /// writes; the plan's own kernels may be called the same.
  KernelOp getOrCreate(const Twine &name, KernelKind kind,
                           ArrayRef<int64_t> space, ArrayRef<Type> args,
                           llvm::function_ref<void(ValueRange)> fill) {
    KernelOp &kernel = made[name.str()];
    if (kernel)
      return kernel;
    b.setInsertionPointToEnd(module.getBody());
    kernel =
        KernelOp::create(b, module.getLoc(), unique(name.str()),
                         b.getFunctionType(args, TypeRange()), kind, space);
    Block *body = kernel.addEntryBlock();
    b.setInsertionPointToEnd(body);
    fill(SmallVector<Value>(body->getArguments()));
    ReturnOp::create(b, module.getLoc(), ValueRange());
    return kernel;
  }

  void fillZero(Value buffer) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    linalg::FillOp::create(b, module.getLoc(),
                           nn::constant(b, module.getLoc(), element, 0),
                           buffer);
  }
};

KernelOp PlanKernelBuilder::update(OptimizerOp rule, double decay) {
  unsigned slots = rule.getSlots().size();
  // Parameter, gradient, slots, scalars, then the next parameter and slots.
  Type flat = memref({kAnyCount}, b.getF32Type()),
       scalar = memref({}, b.getF32Type());
  SmallVector<Type> args(2 + slots, flat);
  SmallVector<AffineMap> maps(2 + slots, identity(1));
  for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>())
    if (name != "decay") {
      args.push_back(scalar);
      maps.push_back(leading(1, 0));
    }
  unsigned inputs = args.size();
  args.append(1 + slots, flat);
  maps.append(1 + slots, identity(1));
  std::string name = (rule.getSymName() + "_decay" + nameOf(decay)).str();
  return getOrCreate(
      name, KernelKind::Columns, {kAnyCount}, args, [&](ValueRange values) {
        linalg::GenericOp::create(
            b, module.getLoc(), TypeRange(), values.take_front(inputs),
            values.drop_front(inputs), maps,
            Iterators(1, utils::IteratorType::parallel),
            [&](OpBuilder &at, Location loc, ValueRange in) {
              Block &body = rule.getBody().front();
              IRMapping map;
              for (unsigned i = 0; i < 2 + slots; ++i)
                map.map(body.getArgument(i), in[i]);
              unsigned next = 2 + slots;
              for (auto [i, scalarName] : llvm::enumerate(
                       rule.getScalars().getAsValueRange<StringAttr>())) {
                Value value =
                    scalarName == "decay"
                        ? nn::constant(at, loc, at.getF32Type(), decay)
                        : in[next++];
                map.map(body.getArgument(2 + slots + i), value);
              }
              for (Operation &op : body.without_terminator())
                at.clone(op, map);
              SmallVector<Value> results;
              for (Value value : body.getTerminator()->getOperands())
                results.push_back(map.lookupOrDefault(value));
              linalg::YieldOp::create(at, loc, results);
            });
      });
}

KernelOp PlanKernelBuilder::accumulate(double scale) {
  Type flat = memref({kAnyCount}, b.getF32Type());
  return getOrCreate(
      "accumulate_scale" + nameOf(scale), KernelKind::Columns, {kAnyCount},
      {flat, flat, flat}, [&](ValueRange values) {
        linalg::GenericOp::create(
            b, module.getLoc(), TypeRange(), values.take_front(2),
            values.drop_front(2), SmallVector<AffineMap>(3, identity(1)),
            Iterators{utils::IteratorType::parallel},
            [&](OpBuilder &at, Location loc, ValueRange in) {
              S sum(at, loc, in[0]), more(at, loc, in[1]);
              if (scale != 1)
                more = scale * more;
              linalg::YieldOp::create(at, loc, ValueRange{sum + more});
            });
      });
}

KernelOp PlanKernelBuilder::clear() {
  Type flat = memref({kAnyCount}, b.getF32Type());
  return getOrCreate("clear", KernelKind::Columns, {kAnyCount}, {flat},
                     [&](ValueRange values) { fillZero(values[0]); });
}

KernelOp PlanKernelBuilder::total(TotalOp op) {
  SmallVector<Type> args = memrefsOf(op.getPartials());
  args.push_back(memref({}, b.getF64Type()));
  return getOrCreate(
      unique("squares_total"), KernelKind::Serial, {}, args,
      [&](ValueRange values) { addAll(values.drop_back(), values.back()); });
}

KernelOp PlanKernelBuilder::clip(ClipOp op) {
  SmallVector<Type> args = memrefsOf(op.getPartials());
  unsigned inputs = args.size();
  args.append(2, memref({}, b.getF32Type()));
  return getOrCreate(
      unique("grad_norm"), KernelKind::Serial, {}, args,
      [&](ValueRange values) {
        Location loc = module.getLoc();
        Value sum =
            memref::AllocaOp::create(b, loc, memref({}, b.getF64Type()));
        addAll(values.take_front(inputs), sum);
        linalg::GenericOp::create(
            b, loc, TypeRange(), ValueRange{sum}, values.drop_front(inputs),
            {identity(0), identity(0), identity(0)}, Iterators{},
            [&](OpBuilder &at, Location where, ValueRange in) {
              S root = nn::sqrt(S(at, where, in[0]));
              S norm = root.with(arith::TruncFOp::create(
                  at, where, Type(at.getF32Type()), root.v));
              S factor = norm.constant(1);
              if (op.getMaxNorm()) {
                S limit = op.getMaxNorm()->convertToDouble() /
                          (norm + ClipOp::kEpsilon);
                factor = limit.apply<arith::MinimumFOp>(factor);
              }
              linalg::YieldOp::create(at, where, ValueRange{norm, factor});
            });
      });
}

} // namespace
DenseMap<Operation *, PlanLaunch> zero::planLaunches(ModuleOp plan) {
  DenseMap<Operation *, PlanLaunch> launches;
  PlanKernelBuilder kernels(plan);
  auto visit = [&](Operation *op) {
    PlanLaunch launch;
    if (auto kernel = dyn_cast<LaunchOp>(op)) {
      launch.kernel = plan.lookupSymbol<KernelOp>(kernel.getKernel());
    } else if (auto update = dyn_cast<UpdateOp>(op)) {
      auto rule = plan.lookupSymbol<OptimizerOp>(update.getOptimizer());
      launch.kernel = kernels.update(rule, 0);
      launch.decayed =
          kernels.update(rule, update.getDecay().convertToDouble());
    } else if (auto sum = dyn_cast<AccumulateOp>(op)) {
      launch.kernel = kernels.accumulate(sum.getScale().convertToDouble());
    } else if (isa<ClearOp>(op)) {
      launch.kernel = kernels.clear();
    } else if (auto total = dyn_cast<TotalOp>(op)) {
      launch.kernel = kernels.total(total);
    } else if (auto clip = dyn_cast<ClipOp>(op)) {
      launch.kernel = kernels.clip(clip);
    } else {
      return;
    }
    // A cleared value is not read.
    if (!isa<ClearOp>(op))
      llvm::append_range(launch.args, op->getOperands());
    llvm::append_range(launch.args, op->getResults());
    if (isa<AccumulateOp, ClearOp>(op)) {
      Type type = launch.args.front().getType();
      launch.elements = getByteSize(type) / getElementBytes(type);
    }
    launches[op] = launch;
  };
  for (ProgramOp program : findPrograms(plan))
    for (Operation &op : program.front())
      visit(&op);
  return launches;
}

Dispatch zero::getDispatch(KernelOp kernel) {
  std::optional<KernelKind> kind = kernel.getKind();
  int64_t units = llvm::product_of(kernel.getSpace());
  bool matrices = false;
  int64_t widest = 1;
  auto visit = [&](Type type) {
    auto shaped = cast<ShapedType>(type);
    matrices |= shaped.getRank() > 1;
    widest = std::max(widest,
                      shaped.getNumElements() *
                          llvm::divideCeil(shaped.getElementTypeBitWidth(), 8));
  };
  llvm::for_each(kernel.getArgumentTypes(), visit);
  llvm::for_each(kernel.getResultTypes(), visit);
  if (kind == KernelKind::Rows) // about 32 KiB of the widest operand
    return {units,
            std::max<int64_t>(1, 32768 / std::max<int64_t>(1, widest / units))};
  // 1 KiB of each row of a column sum, or a long run
  if (kind == KernelKind::Columns)
    return {units, matrices ? 256 : 16384};
  if (kind == KernelKind::Attention)
    return {units, 1};
  if (kind == KernelKind::Scatter)
    return {units, 64};
  return {1, 1};
}
