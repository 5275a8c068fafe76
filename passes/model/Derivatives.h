//===- Derivatives.h - Derivatives of upstream operations -----------------===//
//
// `nn` operations implement DifferentiableOpInterface themselves.  Operations
// of arith, math, tensor and linalg get it here, through external models: one
// file per dialect.  One set of scalar rules (ElementwiseRules.h) serves arith
// and math both on tensors and inside the bodies of linalg.generic.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
class Operation;
class Type;
} // namespace mlir

namespace mlir::zero {

/// Attach the derivatives of elementwise operations.
void registerArithDerivatives(DialectRegistry &registry);
void registerMathDerivatives(DialectRegistry &registry);
/// Attaches the derivatives of tensor operations that move elements.
void registerTensorDerivatives(DialectRegistry &registry);
/// Attaches the derivatives of linalg.generic and linalg.fill.
void registerLinalgDerivatives(DialectRegistry &registry);

/// All of the above.
void registerDerivatives(DialectRegistry &registry);

/// Whether values of `type` depend smoothly on others: all but integers.
bool carriesDerivative(Type type);

/// Whether `op` reads the bits of a float as an integer, beyond which a
/// dependency cannot be followed.
bool hidesDerivative(Operation *op);

} // namespace mlir::zero
