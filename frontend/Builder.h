//===- Builder.h - A small language for models, in C++ ----------*- C++ -*-===//
//
// A model is a C++ function over `Tensor` values.  Running it writes
// `func.func @loss`, the program that zeroc compiles:
//
//   ModelBuilder m(context);
//   Tensor tokens = m.tokens(8, 64, /*vocabulary=*/256);
//   Tensor targets = m.targets(8, 64, /*vocabulary=*/256);
//   Tensor table = m.param("wte.weight", {256, 128}, init::normal(0.02));
//   Tensor x = embedding(tokens, table);
//   Tensor logits = linear(gelu(x), table);
//   OwningOpRef<ModuleOp> module = m.finish(crossEntropy(logits, targets));
//
// Parameters become arguments in the order in which they are made, inputs
// follow them.  Every operation is located at the name of the scope it was
// written in ("h.0.attn"), so that names survive to the memory certificate.
//
// Errors.  A misfit of shapes is an error diagnostic at the name of the scope,
// with the names and shapes of both sides.  Its result is an invalid Tensor,
// which every operation propagates silently, so one mistake gives one error;
// `finish` then returns null.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace mlir::frontend {

class ModelBuilder;

/// The distribution of initial values; see the functions of `init`.
struct Init {
  enum Distribution { Normal, Uniform, Constant } distribution;
  double first, second;
};

namespace init {
/// A normal distribution with mean 0.
inline Init normal(double std) { return {Init::Normal, std, 0}; }
/// Uniform over the interval [low, high).
inline Init uniform(double low, double high) {
  return {Init::Uniform, low, high};
}
inline Init constant(double value) { return {Init::Constant, value, 0}; }
} // namespace init

/// A value of the model under construction; cheap to copy.  Dimensions count
/// from 0, or from the end if negative.
class Tensor {
public:
  /// An invalid tensor, the result of an operation after an error.
  Tensor() = default;
  Tensor(ModelBuilder &owner, Value value) : owner(&owner), value(value) {}

  explicit operator bool() const { return static_cast<bool>(value); }
  Value getValue() const { return value; }
  /// Only for valid tensors.
  ModelBuilder &getBuilder() const { return *owner; }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }

  /// For an invalid tensor, or a dimension that does not exist, the size is 0
  /// and the shape is empty.
  int64_t size(int64_t dim) const;
  ArrayRef<int64_t> shape() const;

  /// Returns `size` elements of dimension `dim`, from `offset` on.
  Tensor slice(int64_t dim, int64_t offset, int64_t size) const;
  /// Returns the same elements, in row-major order, in another shape.
  Tensor reshape(ArrayRef<int64_t> shape) const;
  /// Dimension i of the result is dimension dims[i] of this tensor; `dims` is a
  /// permutation.
  Tensor transpose(ArrayRef<int64_t> dims) const;
  /// Names the operation that made this tensor, inside the current scope.
  Tensor named(StringRef name) const;

private:
  ModelBuilder *owner = nullptr;
  Value value;
};

/// The prefixes of the names of operations and parameters, and the block of the
/// parameters.
struct Surroundings {
  std::string operations, parameters, block;
};

/// Everything written during its lifetime is in the scope; see
/// ModelBuilder::scope.
class [[nodiscard]] Scope {
public:
  Scope(Surroundings &now, Surroundings inside)
      : now(now), before(std::exchange(now, std::move(inside))) {}
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  ~Scope() { now = std::move(before); }

private:
  Surroundings &now, before;
};

/// Element type of an input.  Floats are as wide as parameters.
enum class Element { Float, I32, I64 };

/// Builds the module with `@loss`, and owns it meanwhile.
class ModelBuilder {
public:
  /// Parameters have the type `elementType`, f32 by default; f64 is for
  /// checking derivatives.
  explicit ModelBuilder(MLIRContext &context, Type elementType = {});
  ModelBuilder(const ModelBuilder &) = delete;
  ModelBuilder &operator=(const ModelBuilder &) = delete;

  /// A trainable parameter.  Its name in checkpoints is `name` with the
  /// prefixes of all scopes.  A parameter that is used twice is one Tensor.
  Tensor param(StringRef name, ArrayRef<int64_t> shape, Init init);

  /// An input of the training step; its first dimension counts samples.
  /// Integers lie below `vocabulary`, if given.
  Tensor input(StringRef name, ArrayRef<int64_t> shape, Element element,
               int64_t vocabulary = 0);
  /// The inputs that token data feeds: `batch` sequences of tokens, and the
  /// same sequences shifted by one token.
  Tensor tokens(int64_t batch, int64_t sequence, int64_t vocabulary = 0) {
    return input("tokens", {batch, sequence}, Element::I32, vocabulary);
  }
  Tensor targets(int64_t batch, int64_t sequence, int64_t vocabulary = 0) {
    return input("targets", {batch, sequence}, Element::I32, vocabulary);
  }
  /// Where the sample of each position begins, if a sequence holds several.
  Tensor starts(int64_t batch, int64_t sequence) {
    return input("starts", {batch, sequence}, Element::I32, sequence);
  }

  /// The keys of dropout, one for each of `batch` sequences.
  Tensor dropoutKeys(int64_t batch) {
    return input("dropout", {batch}, Element::I64);
  }
  /// A place for the next dropout, from 0 on: places have masks of their own.
  int64_t nextDropoutPlace() { return dropoutPlaces++; }

  /// Constants, which are not trained.  Every element is `value`; without a
  /// shape the tensor has no dimensions.
  Tensor constant(double value) { return constant({}, value); }
  Tensor constant(ArrayRef<int64_t> shape, double value);
  /// One value for each element, in row-major order.
  Tensor dense(ArrayRef<int64_t> shape, ArrayRef<double> values);

  /// Prefixes the names of parameters and operations: "NAME.rest".
  Scope scope(const Twine &name);
  /// Prefixes the names of parameters only: for a prefix that all names of a
  /// checkpoint have and that no reader of a location needs.
  Scope paramScope(const Twine &name);
  /// Puts parameters into one block, NAME in the current scope; neighbours of a
  /// block are communicated together.  Otherwise their names determine the
  /// block.
  Scope block(const Twine &name);

  /// Makes `loss` the result, and `values`, if given, a second one: what a
  /// model says of each sample.  Returns the finished and verified module, or
  /// null after an error; the builder cannot be used afterwards.
  OwningOpRef<ModuleOp> finish(Tensor loss, Tensor values = {});

  /// For functions that add operations.
  OpBuilder &getOpBuilder() { return builder; }
  /// The location of the current scope, with `name` inside it.
  Location getLoc(StringRef name = {});
  Type getElementType() const { return elementType; }
  /// Returns the type, or null with an error where a size is not positive or
  /// the tensor's bytes exceed 63 bits.
  RankedTensorType getType(ArrayRef<int64_t> shape, Type element);
  /// Reports `message` at the current scope and remembers the failure.
  Tensor error(const Twine &message);
  Tensor errorAt(Location loc, const Twine &message);

private:
  Tensor addArgument(unsigned position, RankedTensorType type, Location loc,
                     ArrayRef<NamedAttribute> attributes);
  Attribute makeInit(Init init);

  OpBuilder builder;
  Type elementType;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SmallVector<DictionaryAttr> argumentAttrs;
  unsigned parameterCount = 0;
  int64_t dropoutPlaces = 0;
  llvm::StringSet<> parameterNames, inputNames;
  Surroundings around;
  bool failed = false;
};

/// Loads the dialects that models are written in.
void loadModelDialects(MLIRContext &context);

/// `"h.0.attn" (tensor<4x64xf32>)`, for messages.
std::string describe(Tensor tensor);

} // namespace mlir::frontend
