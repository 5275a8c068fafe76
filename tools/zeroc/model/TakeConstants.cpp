//===- TakeConstants.cpp - Converts constants to parameters ---------------===//
//
// A front end may print trained weights as constants:
//
//   %w = arith.constant dense_resource<torch_tensor_4_3_torch.float32> :
//   tensor<4x3xf32>
//
// Each constant f32 tensor of one dimension or more becomes a parameter, unless
// all of its elements are equal: such constants belong to the model.  The
// values go to a file of weights, which training starts from.  Equal constants
// become one parameter.
//
//===----------------------------------------------------------------------===//
#include "tools/zeroc/model/MarkArguments.h"

#include "dialect/zero/Zero.h"
#include "frontend/OutputFile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "train/state/io/Safetensors.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;
using llvm::Error;

namespace {

/// Returns the bytes of a constant that is a weight; empty for any other.
SmallVector<char> bytesOf(arith::ConstantOp constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!type || type.getRank() == 0 || !type.getElementType().isF32())
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return dense.isSplat() ? SmallVector<char>()
                           : SmallVector<char>(dense.getRawData());
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || blob->getData().size() !=
                   static_cast<size_t>(type.getNumElements()) * sizeof(float))
    return {};
  return SmallVector<char>(blob->getData());
}

} // namespace

Error zero::takeConstants(func::FuncOp function, StringRef path) {
  llvm::MapVector<Attribute, SmallVector<arith::ConstantOp>> weights;
  DenseMap<Attribute, SmallVector<char>> values;
  function.walk([&](arith::ConstantOp constant) {
    SmallVector<char> bytes = bytesOf(constant);
    if (bytes.empty())
      return;
    weights[constant.getValue()].push_back(constant);
    values[constant.getValue()] = std::move(bytes);
  });
  if (weights.empty())
    return createStringError("--constants-as-params=" + path + ": @" +
                             function.getSymName() +
                             " has no constant f32 tensor of different "
                             "numbers; drop it");
  std::vector<zrt::TensorHeader> header;
  std::string data;
  for (auto &[value, constants] : weights) {
    auto type = cast<RankedTensorType>(constants.front().getType());
    std::string name = "constant." + std::to_string(header.size());
    unsigned place = function.getNumArguments();
    StringAttr attribute = StringAttr::get(function.getContext(), name);
    if (failed(function.insertArgument(
            place, type,
            DictionaryAttr::get(
                function.getContext(),
                NamedAttribute(
                    StringAttr::get(function.getContext(), kParamAttr),
                    attribute)),
            constants.front().getLoc())))
      return createStringError("cannot add an argument to @" +
                               function.getSymName());
    for (arith::ConstantOp constant : constants) {
      constant.replaceAllUsesWith(Value(function.getArgument(place)));
      constant.erase();
    }
    const SmallVector<char> &bytes = values[value];
    header.push_back(
        {name, "F32",
         std::vector<int64_t>(type.getShape().begin(), type.getShape().end()),
         bytes.size()});
    data.append(bytes.begin(), bytes.end());
  }
  if (Error error =
          frontend::writeOutput(path, zrt::safetensorsHeader(header) + data))
    return error;
  llvm::errs() << "zeroc: note: " << header.size()
               << (header.size() == 1 ? " constant became a parameter"
                                      : " constants became parameters")
               << "; start with train --init " << path << "\n";
  return Error::success();
}
