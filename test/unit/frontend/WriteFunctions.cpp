//===- WriteFunctions.cpp - Writes a model for each function --------------===//
//
// write-functions NAME prints a small f64 model whose loss goes through one
// function, for zero-gradcheck.  Without a name it prints the names.
//
//===----------------------------------------------------------------------===//
#include "frontend/Functions.h"
#include "frontend/PrintModel.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Function {
  StringRef name;
  Tensor (*apply)(ModelBuilder &m, Tensor a, Tensor b);
};

Tensor policyOf(Tensor logits, bool bySequence) {
  ModelBuilder &m = logits.getBuilder();
  Tensor targets = m.targets(logits.size(0), logits.size(1), logits.size(2));
  return textLoss(logits, targets,
                  {.objective = Objective::Grpo,
                   .beta = 0.3,
                   .bySequence = bySequence})
      .loss;
}

/// a and b are [2, 3, 4].
const Function kFunctions[] = {
    {"add-row", [](auto &, auto a, auto b) { return a + sum(sum(b, 0), 0); }},
    {"subtract-kept",
     [](auto &, auto a, auto b) { return a - sum(b, 1, {.keepDim = true}); }},
    {"multiply-scalar", [](auto &, auto a, auto b) { return sum(a) * b; }},
    {"divide-both",
     [](auto &, auto a, auto b) {
       return sum(a, 2, {.keepDim = true}) /
              (1.5 + exp(mean(b, 1, {.keepDim = true})));
     }},
    {"number-first",
     [](auto &, auto a, auto b) { return 2.0 - a + 3.0 / (4.0 + b * b); }},
    {"positive",
     [](auto &, auto a, auto b) {
       Tensor p = exp(a), q = exp(b);
       return log(p + q) * sqrt(p) + rsqrt(q);
     }},
    {"sigmoid", [](auto &, auto a, auto b) { return sigmoid(a) * b; }},
    {"mean", [](auto &, auto a, auto b) { return mean(a * b, -1) + mean(b); }},
    {"max", [](auto &, auto a,
               auto b) { return max(a, 1, {.keepDim = true}) * b + max(b); }},
    {"transpose",
     [](auto &, auto a, auto b) {
       return a.transpose({2, 0, 1}) * b.reshape({4, 2, 3});
     }},
    {"concat", [](auto &, auto a, auto b) { return concat({a, b, a * b}, 1); }},
    {"constants",
     [](auto &m, auto a, auto b) {
       return a * m.constant(0.5) + b * m.dense({3, 1}, {1, -2, 3}) +
              m.constant({4}, 0.25);
     }},
    {"softmax",
     [](auto &, auto a, auto b) {
       Tensor e = exp(a - max(a, -1, {.keepDim = true}));
       return e / sum(e, -1, {.keepDim = true}) * b;
     }},
    {"rms-norm",
     [](auto &, auto a, auto b) {
       return a * rsqrt(mean(a * a, -1, {.keepDim = true}) + 1e-5) *
              mean(mean(b, 0), 0);
     }},
    {"policy", [](auto &, auto a, auto b) { return policyOf(a, false) * b; }},
    {"policy-by-sequence",
     [](auto &, auto a, auto b) { return policyOf(a, true) * b; }},
};

} // namespace

int main(int count, char **arguments) {
  if (count != 2) {
    for (const Function &function : kFunctions)
      llvm::outs() << function.name << "\n";
    return 0;
  }
  const auto *function = llvm::find_if(
      kFunctions, [&](const Function &f) { return f.name == arguments[1]; });
  if (function == std::end(kFunctions)) {
    llvm::errs() << "there is no function " << arguments[1] << "\n";
    return 1;
  }
  MLIRContext context;
  ModelBuilder m(context, Float64Type::get(&context));
  Tensor a = m.param("a", {2, 3, 4}, init::normal(1));
  Tensor b = m.param("b", {2, 3, 4}, init::normal(1));
  Tensor y = function->apply(m, a, b);
  // Random weights distinguish the elements.
  Tensor weights = m.input("weights", y.shape(), Element::Float);
  OwningOpRef<ModuleOp> module = m.finish(sum(y * y * weights + y));
  if (!module)
    return 1;
  llvm::outs() << printModel(*module);
  return 0;
}
