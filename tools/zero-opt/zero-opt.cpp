//===- zero-opt.cpp - Every pass and dialect, for tests -------------------===//
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/codegen/EmitObject.h"
#include "passes/kernels/Passes.h"
#include "passes/model/Derivatives.h"
#include "passes/model/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/verify/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllPasses();
  mlir::zero::registerZeroModelPasses();
  mlir::zero::registerZeroKernelPasses();
  mlir::zero::registerZeroPartitionPasses();
  mlir::zero::registerZeroPlanPasses();
  mlir::zero::registerZeroVerifyPasses();
  mlir::zero::registerCodegenPasses();
  mlir::zero::registerDerivatives(registry);
  registry.insert<mlir::nn::NNDialect, mlir::zero::ZeroDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "zeroc's passes\n", registry));
}
