//===- Sizes.cpp - Limits that keep sizes from overflowing ----------------===//

#include "dialect/zero/Sizes.h"

#include "dialect/zero/BytesText.h"
#include "dialect/zero/Zero.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Bytes of a value, or the reason why its size is invalid.
struct Size {
  int64_t bytes = 0;
  bool isEmpty = false, isTooLarge = false;
};

class Checker {
public:
  LogicalResult run(ModuleOp module) {
    auto result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto function = op->getNumRegions() ? dyn_cast<FunctionOpInterface>(op)
                                          : FunctionOpInterface();
      if (function && function.isExternal())
        for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                                  function.getResultTypes()))
          if (failed(check(type, op->getLoc(),
                           [&] { return "a value of '" + name(op); })))
            return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (failed(checkArgument(argument, op)))
              return WalkResult::interrupt();
      for (Type type : op->getResultTypes())
        if (failed(check(type, op->getLoc(),
                         [&] { return "the result of '" + name(op); })))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  DenseMap<Type, Size> sizes;
  int64_t total = 0;

  LogicalResult checkArgument(BlockArgument argument, Operation *op) {
    return check(argument.getType(), argument.getLoc(), [&] {
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        for (StringRef attribute : {kInputAttr, kParamAttr})
          if (auto name = function.getArgAttrOfType<StringAttr>(
                  argument.getArgNumber(), attribute))
            return (attribute == kParamAttr ? "parameter \"" : "input \"") +
                   name.str() + "\"";
      return "argument " + std::to_string(argument.getArgNumber());
    });
  }

  static std::string name(Operation *op) {
    return op->getName().getStringRef().str() + "'";
  }

  LogicalResult check(Type type, Location loc,
                      llvm::function_ref<std::string()> what) {
    if (type.isIntOrIndexOrFloat())
      return success();
    auto [known, isNew] = sizes.try_emplace(type);
    if (isNew)
      known->second = measure(type);
    Size size = known->second;
    auto error = [&] { return emitError(loc) << what(); };
    if (size.isEmpty)
      return error() << " is " << type
                     << ", which has a size of 0; every size is at least 1";
    if (size.isTooLarge)
      return error() << " is " << type << ", which takes more than "
                     << bytesText(kMaxValueBytes) << "; make it smaller";
    total += size.bytes; // both are far below 2^63
    if (total > kMaxModuleBytes)
      return error() << " is " << type << ", and with it the values up to here "
                     << "take more than " << bytesText(kMaxModuleBytes)
                     << "; make them smaller";
    return success();
  }

  static Size measure(Type type) {
    if (auto shard = dyn_cast<ShardType>(type))
      return measure({shard.getElements()}, shard.getElementType());
    if (auto stored = dyn_cast<StoredType>(type))
      return measure(stored.getTensor());
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      return measure(shaped.getShape(), shaped.getElementType());
    return {};
  }

  static Size measure(ArrayRef<int64_t> shape, Type element) {
    std::optional<int64_t> bytes = 8;
    if (auto block = dyn_cast<QuantizedBlockType>(element))
      bytes = block.getBytes();
    else if (element.isIntOrFloat())
      bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    for (int64_t size : shape) {
      if (size == 0)
        return {0, /*isEmpty=*/true};
      // This check ignores unknown sizes.
      if (bytes && !ShapedType::isDynamic(size))
        bytes = llvm::checkedMul(*bytes, size);
    }
    if (!bytes || *bytes > kMaxValueBytes)
      return {0, /*isEmpty=*/false, /*isTooLarge=*/true};
    return {*bytes};
  }
};

} // namespace

LogicalResult zero::checkSizes(ModuleOp module) {
  return Checker().run(module);
}
