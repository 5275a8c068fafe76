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

/// Where initial values come from; see the functions of `init`.
struct Init {
  enum Distribution { Normal, Uniform, Constant } distribution;
  double first, second;
};

namespace init {
/// A normal distribution with mean 0.
inline Init normal(double std) { return {Init::Normal, std, 0}; }
/// The interval [low, high).
inline Init uniform(double low, double high) {
  return {Init::Uniform, low, high};
}
inline Init constant(double value) { return {Init::Constant, value, 0}; }
} // namespace init

/// A value of the model under construction; cheap to copy.  Dimensions count
/// from 0, or from the end if negative.
class Tensor {
public:
  /// Invalid: what an operation gives after an error.
  Tensor() = default;
  Tensor(ModelBuilder &owner, Value value) : owner(&owner), value(value) {}

  explicit operator bool() const { return static_cast<bool>(value); }
  Value getValue() const { return value; }
  /// Only for valid tensors.
  ModelBuilder &getBuilder() const { return *owner; }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }

  /// Both are 0 and empty for an invalid tensor, and where there is no such
  /// dimension.
  int64_t size(int64_t dim) const;
  ArrayRef<int64_t> shape() const;

  /// `size` elements of one dimension, from `offset`.
  Tensor slice(int64_t dim, int64_t offset, int64_t size) const;
  /// The same elements in row-major order, in another shape.
  Tensor reshape(ArrayRef<int64_t> shape) const;
  /// Dimension i of the result is dimension dims[i] of this one; every
  /// dimension is there once.
  Tensor transpose(ArrayRef<int64_t> dims) const;
  /// Gives the operation that made it a name of its own inside the scope.
  Tensor named(StringRef name) const;

private:
  ModelBuilder *owner = nullptr;
  Value value;
};

/// What is put before names of operations and of parameters, and the block that
/// parameters are of.
struct Surroundings {
  std::string operations, parameters, block;
};

/// While it lives, what is written is inside of it; see ModelBuilder::scope.
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

/// What an input is made of.  Floats are as wide as parameters.
enum class Element { Float, I32, I64 };

/// Owns the module with `@loss` while it is written.
class ModelBuilder {
public:
  /// Parameters are `elementType`, f32 by default; f64 serves checks of
  /// derivatives.
  explicit ModelBuilder(MLIRContext &context, Type elementType = {});
  ModelBuilder(const ModelBuilder &) = delete;
  ModelBuilder &operator=(const ModelBuilder &) = delete;

  /// A trainable parameter.  Its name is that of checkpoints, with the
  /// prefixes of all scopes; a parameter used twice is one Tensor.
  Tensor param(StringRef name, ArrayRef<int64_t> shape, Init init);

  /// An input of the training step; its first dimension counts samples.
  /// Integers lie below `vocabulary`, if given.
  Tensor input(StringRef name, ArrayRef<int64_t> shape, Element element,
               int64_t vocabulary = 0);
  /// The inputs that token data feeds: `batch` sequences, and the same moved
  /// on by one token.
  Tensor tokens(int64_t batch, int64_t sequence, int64_t vocabulary = 0) {
    return input("tokens", {batch, sequence}, Element::I32, vocabulary);
  }
  Tensor targets(int64_t batch, int64_t sequence, int64_t vocabulary = 0) {
    return input("targets", {batch, sequence}, Element::I32, vocabulary);
  }

  /// Numbers that are not trained.  Every element `value`; without a shape there
  /// are no dimensions.
  Tensor constant(double value) { return constant({}, value); }
  Tensor constant(ArrayRef<int64_t> shape, double value);
  /// One value for each element, in row-major order.
  Tensor dense(ArrayRef<int64_t> shape, ArrayRef<double> values);

  /// Names within are "NAME.rest", those of parameters and of operations.
  Scope scope(const Twine &name);
  /// The same for names of parameters only: what checkpoints put before every
  /// name, and no reader of a location needs.
  Scope paramScope(const Twine &name);
  /// Parameters within are of one block, NAME in the current scope: neighbours
  /// of a block are exchanged together.  Without it their names tell.
  Scope block(const Twine &name);

  /// Returns the loss.  Gives the finished and verified module, or null after
  /// an error; the builder is used up.
  OwningOpRef<ModuleOp> finish(Tensor loss);

  /// For functions that add operations.
  OpBuilder &getOpBuilder() { return builder; }
  /// The current scope, with `name` inside it.
  Location getLoc(StringRef name = {});
  Type getElementType() const { return elementType; }
  /// The type, or null with an error where a size is not positive or the
  /// tensor has more bytes than 63 bits count.
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
  llvm::StringSet<> parameterNames, inputNames;
  Surroundings around;
  bool failed = false;
};

/// Loads the dialects that models are written in.
void loadModelDialects(MLIRContext &context);

/// `"h.0.attn" (tensor<4x64xf32>)`, for messages.
std::string describe(Tensor tensor);

} // namespace mlir::frontend
