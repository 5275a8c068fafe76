//===- zero-opt.cpp - Every pass and dialect, for tests -------------------===//
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllPasses();
  registry.insert<mlir::nn::NNDialect, mlir::zero::ZeroDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "zeroc's passes\n", registry));
}
