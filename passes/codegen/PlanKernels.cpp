//===- PlanKernels.cpp - Kernels of the plan's own operations -------------===//
//
//   zero.update       one launch per member: the optimizer's region over its
//                     elements, with the member's decay as a constant
//   zero.sum_squares  per member, one f64 partial per block of 16,384 elements;
//                     the last, shorter block is a launch of its own
//   zero.clip         one launch: adds all partials in order
//
// Each kernel is a list of linalg operations on memrefs, the form that
// UnitLoops.cpp turns into vector loops.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/PlanKernels.h"

#include "dialect/nn/Scalar.h"
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

  func::FuncOp update(OptimizerOp rule, int64_t count, double decay);
  func::FuncOp sumBlocks(int64_t blocks);
  func::FuncOp sumRest(int64_t count);
  func::FuncOp clip(ClipOp op);

private:
  ModuleOp module;
  OpBuilder b;

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

  /// The kernel of that name, or a new one whose body `fill` writes.
  func::FuncOp getOrCreate(const Twine &name, StringRef kind,
                           ArrayRef<int64_t> space, ArrayRef<Type> args,
                           llvm::function_ref<void(ValueRange)> fill) {
    std::string symbol = name.str();
    if (auto known = module.lookupSymbol<func::FuncOp>(symbol))
      return known;
    b.setInsertionPointToEnd(module.getBody());
    auto kernel = func::FuncOp::create(b, module.getLoc(), symbol,
                                       b.getFunctionType(args, TypeRange()));
    kernel.setPrivate();
    kernel->setAttr(kKernelAttr, b.getStringAttr(kind));
    kernel->setAttr("zero.space", b.getDenseI64ArrayAttr(space));
    kernel->setAttr("zero.bufferized", b.getUnitAttr());
    Block *body = kernel.addEntryBlock();
    b.setInsertionPointToEnd(body);
    fill(SmallVector<Value>(body->getArguments()));
    func::ReturnOp::create(b, module.getLoc());
    return kernel;
  }

  void fillZero(Value buffer) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    linalg::FillOp::create(b, module.getLoc(),
                           nn::constant(b, module.getLoc(), element, 0),
                           buffer);
  }

  /// acc += (f64)x * (f64)x
  static void squareBody(OpBuilder &at, Location loc, ValueRange in) {
    S x(at, loc, arith::ExtFOp::create(at, loc, Type(at.getF64Type()), in[0]));
    linalg::YieldOp::create(at, loc, ValueRange{S(at, loc, in[1]) + x * x});
  }
};

func::FuncOp PlanKernelBuilder::update(OptimizerOp rule, int64_t count,
                                       double decay) {
  std::string decayText;
  llvm::raw_string_ostream(decayText) << llvm::format("%g", decay);
  // Names are keys: a value that six digits do not tell gets all of them.
  if (std::strtod(decayText.c_str(), nullptr) != decay) {
    decayText.clear();
    llvm::raw_string_ostream(decayText) << llvm::format("%.17g", decay);
  }
  unsigned slots = rule.getSlots().size();
  // Parameter, gradient, slots, scalars, then the next parameter and slots.
  Type flat = memref({count}, b.getF32Type()),
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
  std::string name =
      (rule.getSymName() + "_decay" + decayText + "." + Twine(count)).str();
  return getOrCreate(name, "columns", {count}, args, [&](ValueRange values) {
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
            Value value = scalarName == "decay"
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

func::FuncOp PlanKernelBuilder::sumBlocks(int64_t blocks) {
  Type in = memref({blocks, SumSquaresOp::kBlock}, b.getF32Type());
  Type out = memref({blocks}, b.getF64Type());
  return getOrCreate("sum_squares.blocks_" + Twine(blocks), "rows", {blocks},
                     {in, out}, [&](ValueRange values) {
                       fillZero(values[1]);
                       linalg::GenericOp::create(
                           b, module.getLoc(), TypeRange(),
                           ValueRange{values[0]}, ValueRange{values[1]},
                           {identity(2), leading(2, 1)},
                           Iterators{utils::IteratorType::parallel,
                                     utils::IteratorType::reduction},
                           squareBody);
                     });
}

func::FuncOp PlanKernelBuilder::sumRest(int64_t count) {
  Type in = memref({count}, b.getF32Type()), out = memref({}, b.getF64Type());
  return getOrCreate(
      "sum_squares.rest_" + Twine(count), "serial", {}, {in, out},
      [&](ValueRange values) {
        fillZero(values[1]);
        linalg::GenericOp::create(
            b, module.getLoc(), TypeRange(), ValueRange{values[0]},
            ValueRange{values[1]}, {identity(1), leading(1, 0)},
            Iterators{utils::IteratorType::reduction}, squareBody);
      });
}

func::FuncOp PlanKernelBuilder::clip(ClipOp op) {
  SmallVector<Type> args;
  for (Value partial : op.getPartials())
    args.push_back(memref(cast<RankedTensorType>(partial.getType()).getShape(),
                          b.getF64Type()));
  unsigned inputs = args.size();
  args.append(2, memref({}, b.getF32Type()));
  // Its operands and its limit are this operation's alone: never shared.
  std::string name = "grad_norm";
  for (int i = 2; module.lookupSymbol(name); ++i)
    name = "grad_norm." + std::to_string(i);
  return getOrCreate(name, "serial", {}, args, [&](ValueRange values) {
    Location loc = module.getLoc();
    Value sum = memref::AllocaOp::create(b, loc, memref({}, b.getF64Type()));
    fillZero(sum);
    for (Value partial : values.take_front(inputs))
      linalg::GenericOp::create(
          b, loc, TypeRange(), ValueRange{partial}, ValueRange{sum},
          {identity(1), leading(1, 0)},
          Iterators{utils::IteratorType::reduction},
          [](OpBuilder &at, Location where, ValueRange in) {
            S total = S(at, where, in[1]) + S(at, where, in[0]);
            linalg::YieldOp::create(at, where, ValueRange{total});
          });
    linalg::GenericOp::create(
        b, loc, TypeRange(), ValueRange{sum}, values.drop_front(inputs),
        {identity(0), identity(0), identity(0)}, Iterators{},
        [&](OpBuilder &at, Location where, ValueRange in) {
          S root = nn::sqrt(S(at, where, in[0]));
          S norm = root.with(arith::TruncFOp::create(
              at, where, Type(at.getF32Type()), root.v));
          S factor = norm.constant(1);
          if (op.getMaxNorm()) {
            S limit =
                op.getMaxNorm()->convertToDouble() / (norm + ClipOp::kEpsilon);
            factor = limit.apply<arith::MinimumFOp>(factor);
          }
          linalg::YieldOp::create(at, where, ValueRange{norm, factor});
        });
  });
}

/// `count` elements of `bytes` from element `offset` on.
BytesAttr slice(BytesAttr bytes, int64_t offset, int64_t count, int64_t width) {
  return BytesAttr::get(bytes.getContext(), bytes.getTier(),
                        bytes.getOffset() + offset * width, count * width);
}

} // namespace

BytesAttr zero::bytesOf(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return cast<func::FuncOp>(arg.getOwner()->getParentOp())
        .getArgAttrOfType<BytesAttr>(arg.getArgNumber(), kBytesAttr);
  auto ranges = value.getDefiningOp()->getAttrOfType<ArrayAttr>(kBytesAttr);
  return ranges
             ? cast<BytesAttr>(ranges[cast<OpResult>(value).getResultNumber()])
             : BytesAttr();
}

DenseMap<Operation *, SmallVector<PlanLaunch>>
zero::planLaunches(ModuleOp plan, func::FuncOp step) {
  DenseMap<Operation *, SmallVector<PlanLaunch>> launches;
  PlanKernelBuilder kernels(plan);
  for (Operation &op : step.getBody().front()) {
    SmallVector<PlanLaunch> &list = launches[&op];
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      PlanLaunch entry{plan.lookupSymbol<func::FuncOp>(launch.getKernel()), {}};
      for (Value value : launch.getOperands())
        entry.args.push_back(bytesOf(value));
      for (Value value : launch.getOutputs())
        entry.args.push_back(bytesOf(value));
      list.push_back(entry);
    } else if (auto update = dyn_cast<UpdateOp>(op)) {
      auto rule = plan.lookupSymbol<OptimizerOp>(update.getOptimizer());
      auto bucket = plan.lookupSymbol<BucketOp>(update.getBucket());
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
        int64_t count = member.getNumElements();
        double decay =
            member.getDecay() ? update.getDecay().convertToDouble() : 0.0;
        PlanLaunch entry{kernels.update(rule, count, decay), {}};
        auto add = [&](Value value) {
          entry.args.push_back(
              slice(bytesOf(value), member.getOffset(), count, 4));
        };
        add(update.getParam());
        add(update.getGrad());
        llvm::for_each(update.getSlots(), add);
        for (Value scalar : update.getScalars())
          entry.args.push_back(bytesOf(scalar));
        llvm::for_each(update.getNext(), add);
        list.push_back(entry);
      }
    } else if (auto squares = dyn_cast<SumSquaresOp>(op)) {
      auto bucket = plan.lookupSymbol<BucketOp>(squares.getBucket());
      BytesAttr in = bytesOf(squares.getFlat()),
                out = bytesOf(squares.getPartials());
      int64_t done = 0;
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
        int64_t count = member.getNumElements(), block = SumSquaresOp::kBlock;
        int64_t whole = count / block, rest = count % block;
        if (whole)
          list.push_back({kernels.sumBlocks(whole),
                          {slice(in, member.getOffset(), whole * block, 4),
                           slice(out, done, whole, 8)}});
        if (rest)
          list.push_back(
              {kernels.sumRest(rest),
               {slice(in, member.getOffset() + whole * block, rest, 4),
                slice(out, done + whole, 1, 8)}});
        done += whole + (rest ? 1 : 0);
      }
    } else if (auto clip = dyn_cast<ClipOp>(op)) {
      PlanLaunch entry{kernels.clip(clip), {}};
      for (Value partial : clip.getPartials())
        entry.args.push_back(bytesOf(partial));
      entry.args.push_back(bytesOf(clip.getNorm()));
      entry.args.push_back(bytesOf(clip.getFactor()));
      list.push_back(entry);
    }
  }
  return launches;
}

Dispatch zero::getDispatch(func::FuncOp kernel) {
  StringRef kind = cast<StringAttr>(kernel->getAttr(kKernelAttr)).getValue();
  ArrayRef<int64_t> space =
      cast<DenseI64ArrayAttr>(kernel->getAttr("zero.space")).asArrayRef();
  int64_t units = llvm::product_of(space);
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
  if (kind == "rows") // about 32 KiB of the widest operand
    return {units,
            std::max<int64_t>(1, 32768 / std::max<int64_t>(1, widest / units))};
  if (kind == "columns") // whole cache lines of a column sum, or a long run
    return {units, matrices ? 64 : 16384};
  if (kind == "attention")
    return {units, 1};
  if (kind == "scatter")
    return {units, 64};
  return {1, 1};
}
