//===- BucketLayout.h - Which parameters share a bucket -------------------===//
//
// An analysis: from the parameters of a model to the buckets of its plan.  It
// reads and builds no IR.
//
// Neighbours that are kept alike share a bucket, members with weight decay
// first; those that are frozen have buckets of their own, and so have those that
// are packed.  Without a bucket size they are those of a block:
//
//   parameters   h.0.bias  h.0.weight  h.1.weight
//   buckets      b0 (h.0): h.0.weight, h.0.bias     b1: h.1.weight
//
// With one they are as many as fit, and a sharded parameter that is larger is
// cut by rows.  A piece has a bucket of its own: pieces are gathered into one
// run of bytes, so nothing may lie between them.  Those of a packed parameter are
// whole groups: then the bytes of the pieces are those of the parameter.
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
  StringAttr block; ///< what it is part of; null: its name says so
  bool decay;       ///< whether weight decay applies
  bool frozen;      ///< whether it is not trained
  std::optional<Packing> packing = {}; ///< of one that is frozen

  /// Bytes of all of it.
  int64_t getBytes() const {
    return packing ? getPackedBytes(*packing, type.getNumElements())
                   : getByteSize(type);
  }
};

struct LayoutOptions {
  StringRef axis; ///< of the ranks that share the state
  int64_t ranks, stage;
  /// The most bytes of a bucket; 0: a bucket per block.
  int64_t bucketSize;
  /// Parameters of fewer bytes are whole on every rank, also at stage 3.
  int64_t persistBelow;
  /// Parameters are brought from another tier, so that large ones may be cut
  /// though a rank keeps all of them.
  bool fetched;
};

/// A parameter in a bucket, or some rows of one.
struct LayoutMember {
  unsigned parameter;
  MemberAttr attr;
};

struct LayoutBucket {
  std::string name;  ///< "b2"
  std::string label; ///< what it is of, for people: "h.0"
  StringRef axis;
  bool whole;                     ///< every rank keeps all of its parameters
  bool frozen;                    ///< its parameters are not trained
  std::optional<Packing> packing; ///< elements are bytes then
  SmallVector<LayoutMember> members;
  int64_t elements; ///< a multiple of 16 times the ranks

  /// Whether it holds rows of a parameter that begins in another bucket.
  bool continuesParameter() const {
    return members.front().attr.getFirstRow() > 0;
  }
};

/// Which member of which bucket.
struct LayoutPlace {
  unsigned bucket, member;
};

struct BucketLayout {
  /// In the order of their first parameters.
  SmallVector<LayoutBucket> buckets;
  /// By parameter, in the order of its rows; several if it is cut.
  SmallVector<SmallVector<LayoutPlace, 1>> places;
};

/// Fails, with an error, where parameters would be cut into too many pieces.
FailureOr<BucketLayout>
layOutBuckets(ArrayRef<LayoutParameter> parameters,
              const LayoutOptions &options,
              function_ref<InFlightDiagnostic()> emitError);

/// The block that a parameter's name tells: up to its first number, or else up
/// to its last dot.  "h.0.attn.c_fc.weight" is of "h.0", "wte.weight" of "wte".
StringRef getBlockOfName(StringRef parameter);
/// The same, but an adapter is of the block of its layer.
StringRef getBlockOfLayer(StringRef parameter);

} // namespace mlir::zero
