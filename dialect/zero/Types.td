//===- Types.td - Types of values, and their bytes ---------*- tablegen -*-===//
#ifndef ZERO_TYPES
#define ZERO_TYPES

include "dialect/zero/Base.td"

def Zero_Tier : I32EnumAttr<"Tier", "where bytes are; the order is zrt.h's", [
    I32EnumAttrCase<"Device", 0, "device">, I32EnumAttrCase<"Host", 1, "host">,
    I32EnumAttrCase<"Nvme", 2, "nvme">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}

def Zero_Stream : I32EnumAttr<"Stream", "a queue that runs in order; the order is zrt.h's", [
    I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"Gather", 1, "gather">,
    I32EnumAttrCase<"Reduce", 2, "reduce">, I32EnumAttrCase<"H2D", 3, "h2d">,
    I32EnumAttrCase<"D2H", 4, "d2h">, I32EnumAttrCase<"NvmeRead", 5, "nvme_read">,
    I32EnumAttrCase<"NvmeWrite", 6, "nvme_write">, I32EnumAttrCase<"Host", 7, "host">,
    I32EnumAttrCase<"GatherGroups", 8, "gather_groups">,
    I32EnumAttrCase<"ReduceGroups", 9, "reduce_groups">,
    I32EnumAttrCase<"Context", 10, "context">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}

// none: the bytes are overwritten, not read; scalar: a value without dimensions;
// members: a tensor of a shape of its own; whole: the whole bucket; slice: the
// rank's, of bytes that may hold more; part: the same of the part of a bucket
// that a group's member has (zero.axis).
def Zero_Extent : I32EnumAttr<"Extent", "how much of a value an operation reads or writes", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Scalar", 1, "scalar">,
    I32EnumAttrCase<"Members", 2, "members">, I32EnumAttrCase<"Whole", 3, "whole">,
    I32EnumAttrCase<"Slice", 4, "slice">, I32EnumAttrCase<"Part", 5, "part">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}

def Zero_Over : I32EnumAttr<"Over", "the ranks of an axis that a collective is between", [
    I32EnumAttrCase<"Members", 1, "members">, I32EnumAttrCase<"Groups", 2, "groups">,
    I32EnumAttrCase<"Context", 3, "context">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}

def Zero_OverAttr : EnumAttr<Zero_Dialect, Zero_Over, "over">;

/// A tier; the device's if none is written.
def Zero_OptionalTier : EnumParameter<Zero_Tier> {
  let defaultValue = "::mlir::zero::Tier::Device";
}

def Zero_KernelKind : I32EnumAttr<"KernelKind", "the units that threads cut a kernel into", [
    I32EnumAttrCase<"Rows", 0, "rows">, I32EnumAttrCase<"Columns", 1, "columns">,
    I32EnumAttrCase<"Serial", 2, "serial">, I32EnumAttrCase<"Attention", 3, "attention">,
    I32EnumAttrCase<"Scatter", 4, "scatter">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}

def Zero_KernelKindAttr : EnumAttr<Zero_Dialect, Zero_KernelKind, "kernel_kind">;

def Zero_StreamAttr : EnumAttr<Zero_Dialect, Zero_Stream, "stream"> {
  let assemblyFormat = "`<` $value `>`";
}

def Zero_Packing : I32EnumAttr<"Packing", "how frozen parameters are packed; the numbers are zrt.h's", [
    I32EnumAttrCase<"NF4", 1, "nf4">, I32EnumAttrCase<"Int8", 2, "int8">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}

def Zero_PackingAttr : EnumAttr<Zero_Dialect, Zero_Packing, "packing"> {
  let assemblyFormat = "`<` $value `>`";
}

def Zero_MemberAttr : Zero_Attr<"Member", "member"> {
  let summary = "A parameter's place in its bucket";
  let description = [{
    `#zero.member<"h.0.fc.weight", 512x128 at 0, decay, init = #zero.normal<std = 0.02>>`.
    The offset counts elements and is the same for the parameter, its gradient
    and its optimizer state; `decay` says that weight decay applies.

    A parameter larger than a bucket is split by rows over several; `512x128 at
    0, rows 1024 of 4096` is the piece that starts at row 1024 of a parameter of
    shape 4096x128.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, ArrayRefParameter<"int64_t">:$shape,
                        "int64_t":$offset, "int64_t":$firstRow, "int64_t":$rows, "bool":$decay,
                        "::mlir::Attribute":$init);
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getNumElements() const;
    /// Elements of the member among [begin, end) of its bucket.
    int64_t getNumElementsIn(int64_t begin, int64_t end) const;
    /// Whether the member is only some rows of its parameter.
    bool isPiece() const { return getRows() != 0; }
    /// The shape of the whole parameter.
    ::mlir::SmallVector<int64_t> getParameterShape() const;
    /// The element of the parameter that the member starts at.
    int64_t getFirstElement() const;
  }];
}

def Zero_BytesAttr : Zero_Attr<"Bytes", "bytes"> {
  let summary = "A byte range of a tier's arena";
  let description = [{ `#zero.bytes<device, 4096 + 65536>`: offset and size. }];
  let parameters = (ins EnumParameter<Zero_Tier>:$tier, "int64_t":$offset, "int64_t":$size);
  let assemblyFormat = "`<` $tier `,` $offset `+` $size `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getEnd() const { return getOffset() + getSize(); }
    bool overlaps(BytesAttr other) const {
      return getTier() == other.getTier() && getOffset() < other.getEnd() && other.getOffset() < getEnd();
    }
  }];
}

def Zero_PitchAttr : Zero_Attr<"Pitch", "pitch"> {
  let summary = "The elements from one row of a matrix to the next";
  let description = [{
    Encoding of the type of a matrix whose rows are padded, such as
    `tensor<640x50257xbf16, #zero.pitch<50304>>`.
  }];
  let parameters = (ins "int64_t":$elements);
  let assemblyFormat = "`<` $elements `>`";
}

def Zero_StateAttr : Zero_Attr<"State", "state"> {
  let summary = "Which persistent bytes an argument of the step is";
  let description = [{ `#zero.state<@b0, "m">`: slot "param", or a slot of the optimizer. }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$bucket, "::mlir::StringAttr":$slot);
  let assemblyFormat = "`<` $bucket `,` $slot `>`";
}

def Zero_ShardType : Zero_Type<"Shard", "shard"> {
  let summary = "One rank's slice of a flat bucket";
  let description = [{
    `!zero.shard<65536 x f32 by 4>`: 65,536 elements in all, cut into 4 equal
    slices, of which each rank holds its own.  `by 1` is the whole bucket on
    every rank.  `!zero.shard<65536 x f32 by 4 on host>` lies in host memory;
    without a tier, in the device's.

    `!zero.shard<65536 x f32 by 4 of 8>`: 8 ranks are 2 groups of 4 (zero.axis),
    and each of the 4 parts lies on one member of every group.

    Constraints:
    * (C1) the element count is a positive multiple of the ranks.
    * (C2) `of` is a larger multiple of `by`, which is at least 2.
  }];
  let parameters = (ins "int64_t":$elements, "::mlir::Type":$elementType, "int64_t":$ranks,
                        DefaultValuedParameter<"int64_t", "0">:$of, Zero_OptionalTier:$tier);
  let builders = [TypeBuilder<(ins "int64_t":$elements, "::mlir::Type":$elementType, "int64_t":$ranks), [{
    return $_get($_ctxt, elements, elementType, ranks, 0, Tier::Device);
  }]>];
  let assemblyFormat = "`<` $elements `x` $elementType `by` $ranks (`of` $of^)? (`on` $tier^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements that one rank holds.
    int64_t getSliceElements() const { return getElements() / getRanks(); }
    /// Whether it is the part of a group's member.
    bool isPart() const { return getOf() != 0; }
    /// The same in another tier.
    ShardType inTier(Tier tier) const {
      return get(getContext(), getElements(), getElementType(), getRanks(), getOf(), tier);
    }
  }];
}

def Zero_QuantizedBlockType : Zero_Type<"QuantizedBlock", "quantized_block"> {
  let summary = "256 numbers in few bits, with a common scale";
  let description = [{
    Elements of what ranks exchange instead of f32, bf16 or f16
    (`--wire-params`, `--wire-gradients`): `tensor<4x!zero.quantized_block<8>>` has 1,024
    numbers.  A block is a scale, f32, and 256 codes of 8 or 4 bits; a number is
    its code, from -127 to 127 or from -7 to 7, times the scale.

    Constraints:
    * (C1) codes have 8 or 4 bits.
  }];
  let parameters = (ins "int64_t":$bits);
  let assemblyFormat = "`<` $bits `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kElements = 256;
    int64_t getBytes() const { return 4 + kElements * getBits() / 8; }
  }];
}

def Zero_StoredType : Zero_Type<"Stored", "stored"> {
  let summary = "A tensor that lies in another tier than the device's";
  let description = [{
    `!zero.stored<tensor<4x8xf32> on host>`: opaque, since nothing computes on
    it.  Tensors lie on the device; operations would silently mix tensors that
    had a tier in their encoding.

    Constraints:
    * (C1) the tensor has known sizes and no encoding.
    * (C2) the tier is not the device's.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor, EnumParameter<Zero_Tier>:$tier);
  let assemblyFormat = "`<` $tensor `on` $tier `>`";
  let genVerifyDecl = 1;
}

def Zero_EventType : Zero_Type<"Event", "event"> {
  let summary = "A point of a stream that other streams can wait for";
}

def Zero_Flat : AnyTypeOf<[Zero_ShardType, AnyStaticShapeTensor]>;

def Zero_Held : AnyTypeOf<[Zero_ShardType, AnyStaticShapeTensor, Zero_StoredType]>;

/// A scalar of the step, in the tier that it is read in.
def Zero_Scalar : AnyTypeOf<[0DTensorOf<[F32]>, Zero_StoredType]>;

#endif
