//===- BucketLayout.h - Assignment of parameters to buckets ---------------===//
//
// Computes the buckets of a plan from the parameters of its model.  Reads and
// builds no IR.
//
// Adjacent parameters that are kept in the same way share a bucket, members
// with weight decay first; frozen parameters have separate buckets, and so have
// packed ones.  Without a bucket size, a bucket holds the parameters of a
// block:
//
//   parameters   h.0.bias  h.0.weight  h.1.weight
//   buckets      b0 (h.0): h.0.weight, h.0.bias     b1: h.1.weight
//
// With a bucket size, a bucket holds as many parameters as fit, and a larger
// sharded parameter is cut by rows.  Each piece has its own bucket: pieces are
// gathered into one run of bytes, so nothing may lie between them.  Pieces of a
// packed parameter consist of whole runs, so that their bytes are those of
// the parameter.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/Diagnostics.h"
#include <string>

namespace mlir::zero {

/// A parameter of the model.
struct LayoutParameter {
  StringAttr name;
  RankedTensorType type; ///< not empty
  Attribute init;
  StringAttr block; ///< block it belongs to; null: that of its name
  bool decay;       ///< whether weight decay applies
  bool frozen;      ///< whether it is not trained
  std::optional<Packing> packing = {}; ///< only if frozen

  /// Bytes of the whole parameter.
  int64_t getBytes() const {
    return packing ? getPackedBytes(*packing, type.getNumElements())
                   : getByteSize(type);
  }
};

struct LayoutOptions {
  StringRef axis; ///< axis of the ranks that share the state
  int64_t ranks, stage;
  /// The equal slices that a bucket can be cut into: as many as ranks, or as
  /// virtual shards.
  int64_t slices;
  /// The most bytes of a bucket; 0: a bucket per block.
  int64_t bucketSize;
  /// Parameters of fewer bytes are whole on every rank, also at stage 3.
  int64_t persistBelow;
  /// Parameters are fetched from another tier, so large ones may be cut even if
  /// a rank keeps all of them.
  bool fetched;
  /// Whether ranks exchange blocks of numbers: slices then consist of them.
  bool inBlocks = false;
};

/// A parameter in a bucket, or some rows of one.
struct LayoutMember {
  unsigned parameter;
  MemberAttr attr;
};

struct LayoutBucket {
  std::string name;  ///< "b2"
  std::string label; ///< its contents, for readers: "h.0"
  StringRef axis;
  bool whole;                     ///< every rank keeps all of its parameters
  bool frozen;                    ///< its parameters are not trained
  std::optional<Packing> packing; ///< if set, elements are bytes
  SmallVector<LayoutMember> members;
  int64_t elements; ///< a multiple of 16, or of a block, times the ranks

  /// Whether it holds rows of a parameter that begins in another bucket.
  bool continuesParameter() const {
    return members.front().attr.getFirstRow() > 0;
  }
};

/// A member of a bucket.
struct LayoutPlace {
  unsigned bucket, member;
};

struct BucketLayout {
  /// In the order of their first parameters.
  SmallVector<LayoutBucket> buckets;
  /// The places of each parameter, in the order of its rows; several if it is
  /// cut.
  SmallVector<SmallVector<LayoutPlace, 1>> places;
};

/// Fails with an error if parameters would be cut into too many pieces.
FailureOr<BucketLayout>
layOutBuckets(ArrayRef<LayoutParameter> parameters,
              const LayoutOptions &options,
              function_ref<InFlightDiagnostic()> emitError);

/// The block in a parameter's name: the name up to its first number, or else up
/// to its last dot.  "h.0.attn.c_fc.weight" belongs to "h.0", "wte.weight" to
/// "wte".
StringRef getBlockOfName(StringRef parameter);
/// The same, but an adapter belongs to the block of its layer.
StringRef getBlockOfLayer(StringRef parameter);

} // namespace mlir::zero
