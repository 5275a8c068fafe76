//===- ModelTest.h - A test that writes a model -----------------*- C++ -*-===//
#pragma once

#include "Diagnostics.h"
#include "frontend/Functions.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <optional>

struct ModelTest : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Diagnostics diagnostics{context};
  std::optional<mlir::frontend::ModelBuilder> builder{std::in_place, context};
  mlir::frontend::ModelBuilder &m = *builder;

  mlir::frontend::Tensor weight(llvm::StringRef name,
                                llvm::ArrayRef<int64_t> shape) {
    return m.param(name, shape, mlir::frontend::init::normal(0.02));
  }

  /// Returns a scalar that depends on nothing, to finish with.
  mlir::frontend::Tensor anyLoss() {
    using namespace mlir::frontend;
    Tensor logits = weight("loss.logits", {2, 3, 5});
    return crossEntropy(logits, m.input("loss.targets", {2, 3}, Element::I32));
  }

  /// Expects the model to fail with exactly this error, and begins another.
  void expectError(llvm::StringRef error) {
    EXPECT_FALSE(m.finish(anyLoss()));
    EXPECT_EQ(diagnostics.errors, std::vector<std::string>{error.str()});
    diagnostics.errors.clear();
    builder.emplace(context);
  }

  mlir::func::FuncOp finished(mlir::OwningOpRef<mlir::ModuleOp> &module,
                              mlir::frontend::Tensor loss) {
    module = m.finish(loss);
    EXPECT_TRUE(module) << (diagnostics.errors.empty()
                                ? ""
                                : diagnostics.errors.front());
    return module ? module->lookupSymbol<mlir::func::FuncOp>("loss") : nullptr;
  }
};

template <typename OpT>
OpT definedBy(mlir::frontend::Tensor t) {
  return t ? t.getValue().getDefiningOp<OpT>() : OpT();
}
