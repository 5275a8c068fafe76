//===- StateOps.td - Axes, buckets and their members -------*- tablegen -*-===//
#ifndef ZERO_STATE_OPS
#define ZERO_STATE_OPS

include "dialect/zero/Types.td"

def Zero_AxisOp : Zero_Op<"axis", [Symbol]> {
  let summary = "The ranks over which state is sharded";
  let description = [{
    ```mlir
    zero.axis @dp size 4
    ```

    Ranks that are near each other, such as those of a host, form groups: rank r
    is member r mod 4 of group r / 4 here.

    ```mlir
    zero.axis @near size 8 group 4
    ```

    A bucket is cut into 4 parts, one for each member, and each part again into
    2 slices, one for each group.  Collectives of buckets are then between the
    members of each group, or between the ranks that have the same number in
    their groups (`over groups`), so that each byte goes between groups once.

      bucket    |     part 0      |     part 1      |  part 2 ..
      slices    | rank 0 | rank 4 | rank 1 | rank 5 |

    Ranks next to each other may share sequences: ranks 0 and 1 here, and 2 and 3.
    For parameters they are ranks like all others.

    ```mlir
    zero.axis @dp size 4 context 2
    ```

    Constraints:
    * (C1) the size is from 1 to 65536.  It is a constant: launching a plan on
      another number of ranks is an error.
    * (C2) a group has at least 2 ranks, fewer than there are, and divides them.
    * (C3) a context has at least 2 ranks, and divides them.
  }];
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxRanks = 65536;
    /// Ranks of a group; all, if there are no groups.
    int64_t getGroupSize() { return getGroup().value_or(getSize()); }
    /// Ranks that share a sequence.
    int64_t getContextSize() { return getShared().value_or(1); }
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$size, OptionalAttr<I64Attr>:$group,
                       OptionalAttr<I64Attr>:$shared);
  let assemblyFormat = "$sym_name `size` $size (`group` $group^)? (`context` $shared^)? attr-dict";
}

def Zero_BucketOp : Zero_Op<"bucket", [Symbol, UsesSymbols]> {
  let summary = "The layout of parameters that move together";
  let description = [{
    A flat run of members; the only place that holds their names, shapes and
    offsets.  Gradients and optimizer state have the same layout.

      0                      4096   4128          4144
    +----------------------+------+-------------+
    |  h.0.fc.weight       | bias |  padding    |
    +----------------------+------+-------------+

    ```mlir
    zero.bucket @b0 over @dp elements 4144 members [#zero.member<"h.0.fc.weight", 64x64 at 0, decay, init = #zero.normal<std = 0.02>>, #zero.member<"h.0.fc.bias", 32 at 4096, init = #zero.constant<0.0>>]
    ```

    A `frozen` bucket has parameters that are read and not trained: its only
    state is `param`, which every program returns unchanged.

    ```mlir
    zero.bucket @b1 over @dp elements 4096 frozen members [#zero.member<"h.1.fc.weight", 64x64 at 0, init = #zero.normal<std = 0.02>>]
    ```

    A `packed` bucket is a frozen one whose parameters have 4 or 8 bits an
    element (docs/lora.md).  Its elements are bytes, and a member is the bytes
    of its packed form: 2,120 for 64x64 elements of nf4.  `zero.unpack`
    unpacks members for computation.

    ```mlir
    zero.bucket @b2 over @dp elements 2128 frozen packed <nf4> members [#zero.member<"h.2.fc.weight", 64x64 at 0, init = #zero.normal<std = 0.02>>]
    ```

    Constraints:
    * (C1) members lie inside the bucket and do not overlap.
    * (C2) offsets are multiples of 16 elements, the widest vector.
    * (C3) the element count is a positive multiple of ranks x 16.
    * (C4) names are unique in the bucket.
    * (C5) no member of a frozen bucket decays.
    * (C6) a packed bucket is frozen.
    * (C7) rows of a packed parameter begin with a run of 16,384 elements, and
      end with one or with the parameter.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$axis, I64Attr:$elements,
                       UnitAttr:$frozen, OptionalAttr<Zero_PackingAttr>:$packing,
                       TypedArrayAttrBase<Zero_MemberAttr, "members">:$members);
  let assemblyFormat = [{
    $sym_name `over` $axis `elements` $elements (`frozen` $frozen^)? (`packed` $packing^)?
    `members` $members attr-dict
  }];
  let extraClassDeclaration = [{
    /// Offsets and slices are multiples of this many elements.
    static constexpr int64_t kAlignment = 16;
    /// The member of that name, or null.
    MemberAttr lookup(::llvm::StringRef name);
    /// Elements of the bucket that `member` takes: bytes where it is packed.
    int64_t getSizeOf(MemberAttr member);
    /// The shape of a view of `member`: the member's, or its bytes where it is
    /// packed.
    ::mlir::SmallVector<int64_t> getViewShape(MemberAttr member);
    /// Elements outside of all members.
    int64_t getPadding();
  }];
}

def Zero_ViewOp : Zero_NameOp<"view", [], [UsesSymbols]> {
  let summary = "A member of a flat bucket, as a tensor of its own shape";
  let description = [{
    No bytes move: the result lies inside the operand.

    ```mlir
    %w = zero.view %p[@b0, "h.0.fc.weight"] : !zero.shard<4144 x f32 by 1> -> tensor<64x64xf32>
    ```

    Constraints:
    * (C1) the operand is the whole bucket: a flat tensor, or a shard by 1.
    * (C2) the bucket has that member, and the result has its shape; of a packed
      bucket, its bytes.
  }];
  let arguments = (ins Zero_Flat:$flat, FlatSymbolRefAttr:$bucket, StrAttr:$member);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$flat `[` $bucket `,` $member `]` attr-dict `:` type($flat) `->` type($result)";
}

def Zero_FlattenOp : Zero_NameOp<"flatten", ["getBytesUse"], [UsesSymbols]> {
  let summary = "Gradients of a bucket's members, as one flat tensor";
  let description = [{
    One operand per member, in order.  No bytes move: memory is assigned so that
    each operand is produced inside the result.  Padding is undefined.

    ```mlir
    %flat = zero.flatten %dw, %db into @b0 : tensor<64x64xf32>, tensor<32xf32> -> tensor<4144xf32>
    ```

    Where each operand is in its place of a bucket already, as a sum over
    micro-steps to which a gradient was added, so is the result: then it is of
    the sum's type.

    Constraints:
    * (C1) one operand per member of the bucket, each of the member's shape.
    * (C2) the result has the bucket's element count.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$members, FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$members `into` $bucket attr-dict `:` type($members) `->` type($result)";
}

#endif
