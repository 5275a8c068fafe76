//===- Normalization.h - Patterns of NormalizeModel -----------------------===//
#ifndef PASSES_MODEL_NORMALIZATION_H
#define PASSES_MODEL_NORMALIZATION_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::zero {

/// Reads of captured float tensors in bodies of linalg.generic become operands,
/// by way of nn.embedding where their indices are computed.
void populateGatherPatterns(RewritePatternSet &patterns);

} // namespace mlir::zero

#endif // PASSES_MODEL_NORMALIZATION_H
