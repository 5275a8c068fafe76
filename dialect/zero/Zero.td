//===- Zero.td - The dialect of training plans -------------*- tablegen -*-===//
//
// A training step is a straight-line program on streams, over memory tiers.
// This dialect holds what such a program needs beyond tensors: axes of ranks,
// buckets (the only copy of names, shapes and offsets of parameters), shards of
// them, optimizers and their application, launches of kernels, streams, events
// and byte ranges.
//
// Discardable attributes that the passes share (DiscardableAttributes.cpp):
//   zero.param, zero.init, zero.input   on arguments of the model
//   zero.frozen, zero.packing           on parameters that are not trained
//   zero.block                           the part of the model with a parameter
//   zero.vocab, zero.ignored            values that the host accepts in inputs
//   zero.micro                           the micro-step of an input, an output or a
//                                        pack, where a program has all of them
//   zero.state, zero.scalar, zero.output on arguments and results of the step
//   zero.stream                          the queue of an operation (default: compute)
//   zero.at                              byte ranges, one per result
//   zero.kernels                         kernels of an update, a clip etc.
//   zero.level                           on the module: the last finished level
//   zero.options                         on the module: the options of the plan
//   zero.target                          on the module: what runs the plan
//   zero.given, zero.function            on the module: its origin (Origin.h)
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_TD
#define ZERO_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/zero/PlanInterfaces.td"

def Zero_Dialect : Dialect {
  let name = "zero";
  let cppNamespace = "::mlir::zero";
  let summary = "Training plans: state, movement, time and memory";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Enums, attributes and types
//===----------------------------------------------------------------------===//

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
    I32EnumAttrCase<"ReduceGroups", 9, "reduce_groups">]> {
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

def Zero_Over : I32EnumAttr<"Over", "the ranks of an axis that an exchange is between", [
    I32EnumAttrCase<"Members", 1, "members">, I32EnumAttrCase<"Groups", 2, "groups">]> {
  let cppNamespace = "::mlir::zero";
  let genSpecializedAttr = 0;
}
def Zero_OverAttr : EnumAttr<Zero_Dialect, Zero_Over, "over">;

/// A double that prints with all its digits.
def Zero_Double : AttrParameter<"::llvm::APFloat", ""> {
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
  let parser = "::mlir::zero::parseDouble($_parser)";
  let printer = "$_printer.printFloat($_self)";
}

/// A tier; the device's if none is written.
def Zero_OptionalTier : EnumParameter<Zero_Tier> {
  let defaultValue = "::mlir::zero::Tier::Device";
}

class Zero_Attr<string name, string attrMnemonic> : AttrDef<Zero_Dialect, name> {
  let mnemonic = attrMnemonic;
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

def Zero_NormalAttr : Zero_Attr<"Normal", "normal"> {
  let summary = "Initial values drawn from a normal distribution";
  let description = [{ `#zero.normal<std = 0.02>`, with mean zero. }];
  let parameters = (ins Zero_Double:$std);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_UniformAttr : Zero_Attr<"Uniform", "uniform"> {
  let summary = "Initial values drawn uniformly from [low, high)";
  let parameters = (ins Zero_Double:$low, Zero_Double:$high);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Zero_ConstantAttr : Zero_Attr<"Constant", "constant"> {
  let summary = "One initial value for every element";
  let description = [{ `#zero.constant<1.0>` }];
  let parameters = (ins Zero_Double:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Zero_AdamWAttr : Zero_Attr<"AdamW", "adamw"> {
  let summary = "The update rule of AdamW";
  let parameters = (ins Zero_Double:$beta1, Zero_Double:$beta2, Zero_Double:$eps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_LionAttr : Zero_Attr<"Lion", "lion"> {
  let summary = "The update rule of Lion";
  let parameters = (ins Zero_Double:$beta1, Zero_Double:$beta2);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_SGDAttr : Zero_Attr<"SGD", "sgd"> {
  let summary = "The update rule of stochastic gradient descent";
  let parameters = (ins Zero_Double:$momentum);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_TargetAttr : Zero_Attr<"Target", "target"> {
  let summary = "What runs the device's streams of a plan";
  let description = [{
    ```mlir
    zero.target = #zero.target<name = "cuda", arch = "sm_90", workspace = 33554432>
    ```
    `name` is an entry of targets/, `arch` one of its architectures.  Products on
    the device use `workspace` bytes of it while they run.  A plan without the
    attribute runs on the host's processors.

    Constraints:
    * (C1) `workspace` is not negative.
  }];
  let parameters = (ins StringRefParameter<>:$name, StringRefParameter<"", [{""}]>:$arch,
                        DefaultValuedParameter<"int64_t", "0">:$workspace);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_OptionsAttr : Zero_Attr<"Options", "options"> {
  let summary = "The options that a plan was made with";
  let description = [{
    ```mlir
    #zero.options<optimizer = #zero.adamw<beta1 = 0.9, beta2 = 0.95, eps = 1.0e-08>,
                  weight_decay = 0.1, grad_clip = 1.0, stage = 3, world_size = 2, accumulate = 4,
                  bucket_size = 65536>
    ```

    Each field is the option of zeroc with that name; abi/PlanOptions.def lists them
    with their ranges.  Fields that have their default are not written, but for
    `weight_decay`, `grad_clip`, `stage` and `world_size`.  Without `grad_dtype`
    gradients have the type of the parameters, and their sums over micro-steps are f32.

    Constraints:
    * (C1) the optimizer is a #zero.adamw, a #zero.lion, a #zero.sgd, or a string: a
      `zero.optimizer` that the model brought, as it was, without `clip`.
    * (C2) numbers are finite and in their range.
    * (C3) so are counts and bytes.
    * (C4) words are those of the list.
    * (C6) `grad_dtype` is f32, or the type of the parameters; `master` is f32, or none
      with bf16 and nothing offloaded.
    * (C7) `overlap_update` and `delayed_update` need `offload_optimizer`, and one
      micro-step; `delayed_update` needs parameters on the device.  There is one of
      the two.
    * (C8) `accumulate_order` block needs several micro-steps.
    * (C9) with `sample` only or score all options of gradients and updates have their
      defaults, and nothing but parameters is offloaded.
    * (C10) `reference` is one rank and one micro-step, with everything on the device.
    * (C11) `persist_below`, `reuse_distance` and `max_live` need stage 3 and parameters
      that are gathered, or fetched; so does `offload_params` on several ranks.
    * (C12) `ranks_per_host`, `shard_size` and `secondary_shard` that are not 0 are equal,
      and a divisor of `world_size` between 1 and itself.  `shard_size` needs a stage, and
      parameters on the device; `secondary_shard` needs stage 3, and no `shard_size`.
    * (C13) `virtual_shards` is 0, or a power of two and `world_size` x `accumulate`, in batch
      order and with sums in f32.
    * (C14) a wire of bf16 is for elements of f32; `wire_params` that is not full needs
      stage 3, several ranks, no `shard_size` and no `virtual_shards`; `wire_gradients`
      several ranks and no `virtual_shards`.
  }];
  let parameters = (ins "::mlir::Attribute":$optimizer, "::mlir::zero::PlanOptions":$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Words of enumerations as they are typed.
    #define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)              \
      auto get##GETTER() const { return read(getValues().FIELD); }
    #include "abi/PlanOptions.def"

    /// One option, such as "--betas", and its value, as a user types it.
    struct Word {
      ::llvm::StringRef option;
      std::string value;
      /// Whether zeroc would take it so without being told.
      bool isImplied = false;
    };
    ::mlir::SmallVector<Word> getWords() const;
    /// All that are not implied, as a command line.
    std::string getText() const;
    /// The elements of parameters, of gradients as they leave the model and travel,
    /// of their sums over micro-steps, and of the optimizer's slots.
    ::mlir::Type getParameterElement() const;
    ::mlir::Type getGradientElement() const;
    ::mlir::Type getSumElement() const;
    ::mlir::Type getStateElement() const;
    /// Whether updates work on masters.
    bool hasMasters() const {
      bool isApart = getOffloadOptimizer() != "none" && getOffloadParams() == "none";
      return isApart || (getPrecision() != "fp32" && getMaster() != "none");
    }

    static bool read(bool value) { return value; }
    static int64_t read(int64_t value) { return value; }
    static ::llvm::APFloat read(double value) { return ::llvm::APFloat(value); }
    template <typename Enum> static ::llvm::StringRef read(Enum value) { return stringify(value); }
  }];
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

class Zero_Type<string name, string typeMnemonic> : TypeDef<Zero_Dialect, name> {
  let mnemonic = typeMnemonic;
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

def Zero_BlockType : Zero_Type<"Block", "block"> {
  let summary = "256 numbers in few bits, with a common scale";
  let description = [{
    Elements of what ranks exchange instead of f32, bf16 or f16
    (`--wire-params`, `--wire-gradients`): `tensor<4x!zero.block<8>>` has 1,024
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

//===----------------------------------------------------------------------===//
// Layout: axes, buckets, optimizers
//===----------------------------------------------------------------------===//

class Zero_Op<string mnemonic, list<Trait> traits = []> : Op<Zero_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

defvar UsesSymbols = DeclareOpInterfaceMethods<SymbolUserOpInterface>;
defvar CountsFlops = DeclareOpInterfaceMethods<Zero_FlopsOpInterface>;

/// An operation of a plan that overrides these methods of its interface.
class Zero_PlanOp<string mnemonic, list<string> says, list<Trait> traits = []> :
    Zero_Op<mnemonic, !listconcat([DeclareOpInterfaceMethods<Zero_PlanOpInterface, says>], traits)>;

/// A plan operation that only names bytes.
class Zero_NameOp<string mnemonic, list<string> says = [], list<Trait> traits = []> :
    Zero_PlanOp<mnemonic, !listconcat(["movesNothing", "getStorageTies"], says), !listconcat([Pure], traits)> {
  let extraClassDefinition = "bool $cppClass::movesNothing() { return true; }";
}

/// An exchange between ranks; `exchanges` names the methods of
/// CollectiveOpInterface that it overrides.
class Zero_CollectiveOp<string mnemonic, list<string> says, list<string> exchanges, list<Trait> traits = []> :
    Zero_PlanOp<mnemonic, !listconcat(["getPreferredStream"], says), !listconcat([
      DeclareOpInterfaceMethods<Zero_CollectiveOpInterface, exchanges>], traits)>;

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
    2 slices, one for each group.  Exchanges of buckets are then between the
    members of each group, or between the ranks that have the same number in
    their groups (`over groups`), so that each byte goes between groups once.

      bucket    |     part 0      |     part 1      |  part 2 ..
      slices    | rank 0 | rank 4 | rank 1 | rank 5 |

    Constraints:
    * (C1) the size is from 1 to 65536.  It is a constant: launching a plan on
      another number of ranks is an error.
    * (C2) a group has at least 2 ranks, fewer than there are, and divides them.
  }];
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxRanks = 65536;
    /// Ranks of a group; all, if there are no groups.
    int64_t getGroupSize() { return getGroup().value_or(getSize()); }
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$size, OptionalAttr<I64Attr>:$group);
  let assemblyFormat = "$sym_name `size` $size (`group` $group^)? attr-dict";
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
    of its packed form: 2,120 for 64x64 elements of nf4.  `zero.dequantize`
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

def Zero_OptimizerOp : Zero_Op<"optimizer", [Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "An update rule, as a function of scalars";
  let description = [{
    The region maps a parameter, its gradient, its state and named scalars to
    the next parameter and state.  It is applied elementwise, so one definition
    becomes a vector loop on any shard in any tier.  Arithmetic that depends on
    scalars alone is done once per launch.

    ```mlir
    zero.optimizer @sgd(%p: f32, %g: f32, %momentum: f32, %lr: f32, %decay: f32)
        state ["momentum"] scalars ["lr", "decay"] {
      %0 = arith.mulf %decay, %p : f32
      %1 = arith.addf %g, %0 : f32
      %2 = arith.addf %momentum, %1 : f32
      %3 = arith.mulf %lr, %2 : f32
      %4 = arith.subf %p, %3 : f32
      zero.yield %4, %2 : f32, f32
    }
    ```

    The scalar `decay` is the member's weight decay, a constant; `clip` is the
    factor that `zero.clip` computes; all others are arguments of the step.

    Constraints:
    * (C1) the arguments are the parameter, the gradient, one per state slot and
      one per scalar, all f32.
    * (C2) the region yields the parameter and one value per state slot, all
      f32.
    * (C3) it is made of scalar operations of arith and math.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$slots, StrArrayAttr:$scalars);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Zero_YieldOp : Op<Zero_Dialect, "yield", [Terminator, Pure, ParentOneOf<["OptimizerOp"]>]> {
  let summary = "Ends an optimizer with its results";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

include "dialect/zero/ProgramOps.td"

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

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

def Zero_PackOp : Zero_NameOp<"pack", ["getBytesUse"], [UsesSymbols]> {
  let summary = "Gradients of a bucket's members, as one flat tensor";
  let description = [{
    One operand per member, in order.  No bytes move: memory is assigned so that
    each operand is produced inside the result.  Padding is undefined.

    ```mlir
    %flat = zero.pack %dw, %db into @b0 : tensor<64x64xf32>, tensor<32xf32> -> tensor<4144xf32>
    ```

    Constraints:
    * (C1) one operand per member of the bucket, each of the member's shape.
    * (C2) the result has the bucket's element count.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$members, FlatSymbolRefAttr:$bucket);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$members `into` $bucket attr-dict `:` type($members) `->` type($result)";
}

def Zero_CopyOp : Zero_PlanOp<"copy", [], [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "The same value in other bytes";
  let description = [{
    AssignMemory inserts it where two values would have to share bytes and
    cannot.

    ```mlir
    %1 = zero.copy %0 : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 0;
}

def Zero_DequantizeOp : Zero_PlanOp<"dequantize", ["changesFormat"], [CountsFlops]> {
  let summary = "A packed parameter, as a tensor to compute with";
  let description = [{
    Each element is its code's number times the scale of its block, in f32,
    rounded once to the elements of the result.  Not pure, because merging two
    of them would keep the forward's tensor until the backward reads it.

    ```mlir
    %b = zero.view %flat[@b2, "h.2.fc.weight"] : tensor<2128xi8> -> tensor<2120xi8>
    %w = zero.dequantize %b as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
    ```

    Constraints:
    * (C1) the result is of f32, bf16 or f16.
    * (C2) the operand is the bytes of its packed form, i8.
  }];
  let arguments = (ins AnyStaticShapeTensor:$bytes, Zero_PackingAttr:$packing);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$bytes `as` $packing attr-dict `:` type($bytes) `->` type($result)";
}

def Zero_LaunchOp : Zero_PlanOp<"launch", ["getStorageTies"], [CountsFlops, Pure, UsesSymbols]> {
  let summary = "Runs one kernel";
  let description = [{
    Operands and results are whole tensors.  The kernel says which operands a
    result may or must overwrite.

    ```mlir
    %y = zero.launch @gelu(%x) : (tensor<256x64xf32>) -> tensor<256x64xf32>
    ```

    Constraints:
    * (C1) the callee is a kernel of the operand and result types.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyStaticShapeTensor>:$operands);
  let results = (outs Variadic<AnyStaticShapeTensor>:$outputs);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict `:` functional-type($operands, $outputs)";
  let hasVerifier = 0;
}

def Zero_JoinOp : Zero_NameOp<"join"> {
  let summary = "Joins rows that were computed separately into one tensor";
  let description = [{
    The rows of a parameter that is split over buckets, or of a gradient that is
    computed by chunks, in order.  No bytes move: memory is assigned so that the
    pieces are produced one after the other, inside the result.

    ```mlir
    %w = zero.join %top, %bottom : tensor<512x64xf32>, tensor<88x64xf32> -> tensor<600x64xf32>
    ```

    Constraints:
    * (C1) the rows of the operands add up to those of the result; all other
      dimensions are equal.
    * (C2) there is an operand.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$pieces);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$pieces attr-dict `:` type($pieces) `->` type($result)";
}

def Zero_SplitOp : Zero_NameOp<"split"> {
  let summary = "Some rows of a tensor";
  let description = [{
    Takes rows of a gradient whose parameter is split over buckets, or of an
    operand of a chunk of the loss.  No bytes move: the result lies inside the
    operand.

    ```mlir
    %top = zero.split %dw from 512 : tensor<600x64xf32> -> tensor<88x64xf32>
    ```

    Constraints:
    * (C1) the rows, at least one, lie inside the operand; all other dimensions
      are equal.
  }];
  let arguments = (ins AnyStaticShapeTensor:$whole, I64Attr:$row);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$whole `from` $row attr-dict `:` type($whole) `->` type($result)";
}

def Zero_AverageOp : Zero_Op<"average", [Pure, SameOperandsAndResultType]> {
  let summary = "A scalar's mean over all ranks and micro-steps";
  let description = [{
    The divisor of a loss, the number of valid targets, goes through it: every
    rank and micro-step then divides by the mean count, and the mean of their
    losses is the sum over all valid targets by their number.  PartitionState
    turns it into an exchange, or into the value itself if there is one rank and
    one micro-step.

    ```mlir
    %all = zero.average %n : tensor<f32>
    ```

    Constraints:
    * (C1) the value has no dimensions.
  }];
  let arguments = (ins AnyStaticShapeTensor:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//
//
// None of them is Pure: two gathers of one shard are two exchanges, and ranks
// hang when they do not issue the same ones in the same order.  Sums are added
// in rank order by the owner of a slice, in the value's own type, and scaled
// once.

def Zero_AllGatherOp : Zero_CollectiveOp<"all_gather", [
    "getStorageTies", "getExtent", "bringsState", "getBytesUse"], [], [UsesSymbols]> {
  let hasVerifier = 0;
  let summary = "Every rank's slice of a bucket, on every rank";
  let description = [{
    ```mlir
    %flat = zero.all_gather %p of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<4160xf32>
    ```

    With an operand that is the whole bucket the gather is in place: rank r's
    slice r of the operand is its contribution, the result has the operand's
    bytes.

    ```mlir
    %p2 = zero.all_gather %p1 of @b0 : !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
    ```

    Where ranks are in groups, a gather is `over groups`: of the slices of a part,
    between its ranks in all groups, or `over members`: of the parts, between the
    members of a group.  In place, the rank's slice or part of the operand is its
    contribution, and the rest of the part, or of the bucket, is received.

    ```mlir
    %a = zero.all_gather %p of @g0 over groups : !zero.shard<4224 x f32 by 8> -> !zero.shard<4224 x f32 by 4 of 8>
    %b = zero.all_gather %a of @g0 over members : !zero.shard<4224 x f32 by 4 of 8> -> tensor<4224xf32>
    ```

    Constraints:
    * (C1) the operand is the bucket's shard by the ranks of its axis, or whole; its
      elements may be narrow (`zero.narrow`).
    * (C2) the result is the whole bucket; in place it has the operand's type.
    * (C3) there is `over` exactly if the axis has groups.  Over members the
      operand is the bucket's part instead of a shard by all ranks; over groups
      the result is.
  }];
  let arguments = (ins Zero_Flat:$source, FlatSymbolRefAttr:$bucket, OptionalAttr<Zero_OverAttr>:$over);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$source `of` $bucket (`over` `` $over^)? attr-dict `:` type($source) `->` type($result)";
  let extraClassDeclaration = [{
    bool isInPlace() { return getSource().getType() == getResult().getType(); }
  }];
}

def Zero_ReduceScatterOp : Zero_CollectiveOp<"reduce_scatter", [
    "getStorageTies", "getExtent", "getBytesUse"], [], [
    CountsFlops, UsesSymbols]> {
  let summary = "Each rank's slice of the sum of all ranks' buckets";
  let description = [{
    `scale x (rank 0's + rank 1's + ...)`; with `into`, added to that value.
    Elements of 16 bits are added in f32, `into` last; the result is rounded to
    16 bits, once, or is f32.

    ```mlir
    %g = zero.reduce_scatter %flat of @b0 {scale = 0.5 : f64} : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2>
    %a1 = zero.reduce_scatter %flat of @b0 into %a {scale = 0.5 : f64} : tensor<4160xf32>, !zero.shard<4160 x f32 by 2> -> !zero.shard<4160 x f32 by 2>
    ```

    With a result that is the whole bucket it is in place: rank r's slice r of
    the result is the sum, the rest keeps the rank's own values.

    With `tree` neighbours are added first: `scale x ((rank 0's + rank 1's) +
    (rank 2's + rank 3's))` of four ranks.

    Where ranks are in groups, the members of each group add up its gradients
    first, and then the groups those sums, in the order of the groups.

    ```mlir
    %s = zero.reduce_scatter %flat of @g0 over members {scale = 0.25 : f64} : tensor<4224xf32> -> !zero.shard<4224 x f32 by 4 of 8>
    %g = zero.reduce_scatter %s of @g0 over groups {scale = 0.5 : f64} : !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 8>
    ```

    Constraints:
    * (C1) the operand is the whole bucket.
    * (C2) the result is the bucket's shard by the ranks of its axis, or of the
      operand's type.
    * (C3) `into` has the result's type, a shard.
    * (C4) the elements are those of the operand, or f32; of blocks (`zero.narrow`)
      they are f32, bf16 or f16.
    * (C5) there is `over` exactly if the axis has groups.  Over members the
      result is the bucket's part instead of a shard by all ranks; over groups
      the operand may be, too, instead of the whole bucket.
    * (C6) with `tree`, a power of two of ranks, no `into`, and no blocks.
  }];
  let arguments = (ins Zero_Flat:$source, FlatSymbolRefAttr:$bucket, Optional<Zero_ShardType>:$into,
                       OptionalAttr<Zero_OverAttr>:$over, F64Attr:$scale, UnitAttr:$tree);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = [{
    $source `of` $bucket (`over` `` $over^)? (`into` $into^)? attr-dict `:` type($source) (`,` type($into)^)? `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool isInPlace() { return getSource().getType() == getResult().getType(); }
  }];
}

/// The same values of a bucket in other elements.
class Zero_ElementsOp<string mnemonic, list<string> says> : Zero_PlanOp<mnemonic, says, [
    CountsFlops, UsesSymbols]> {
  let hasVerifier = 0;
  let arguments = (ins Zero_Flat:$source, FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$source `of` $bucket attr-dict `:` type($source) `->` type($result)";
}

def Zero_NarrowOp : Zero_ElementsOp<"narrow", ["getPreferredStream", "changesFormat", "bringsState"]> {
  let summary = "A bucket's values in fewer bits, as ranks exchange them";
  let description = [{
    Quantizes: each 256 elements of the bucket become one of !zero.block, or each
    is rounded to bf16.  The scale of a block is the largest absolute value by
    the largest code; a code is the value by the scale, rounded to nearest, ties
    to even.  A block with an infinity or a NaN becomes NaNs.  Padding counts as
    zeros.

    ```mlir
    %r = zero.narrow %flat of @w0 : tensor<1024xf32> -> tensor<4x!zero.block<8>>
    %g = zero.reduce_scatter %r of @w0 {scale = 0.5 : f64} : tensor<4x!zero.block<8>> -> !zero.shard<1024 x f32 by 2>
    ```

    The reduction adds up what the blocks say, in f32.

    Constraints:
    * (C1) the operand is the whole bucket, a slice or a part of it, of f32, bf16 or
      f16.
    * (C2) the result is as much of it, in blocks or bf16, which takes fewer bits.
  }];
}

def Zero_WidenOp : Zero_ElementsOp<"widen", ["changesFormat"]> {
  let summary = "The values that narrow elements stand for";
  let description = [{
    Dequantizes: each number of a block is its code times the scale, in f32,
    rounded once to the elements of the result.

    ```mlir
    %q = zero.narrow %p of @w0 : !zero.shard<1024 x f32 by 2> -> !zero.shard<4 x !zero.block<4> by 2>
    %all = zero.all_gather %q of @w0 : !zero.shard<4 x !zero.block<4> by 2> -> tensor<4x!zero.block<4>>
    %wide = zero.widen %all of @w0 : tensor<4x!zero.block<4>> -> tensor<1024xf32>
    ```

    Constraints:
    * (C1) the operand is the whole bucket, a slice or a part of it, in blocks or bf16.
    * (C2) the result is as much of it, of f32, bf16 or f16, in more bits.
  }];
}

def Zero_AllReduceOp : Zero_CollectiveOp<"all_reduce", [], ["getAxisRef", "getWireBytes", "getExportedOperands"], [
    CountsFlops, UsesSymbols, SameOperandsAndResultType]> {
  let summary = "The sum of a few values over all ranks, on every rank";
  let description = [{
    `scale x (rank 0's + rank 1's + ...)`.  For the loss, its count and the
    norm; gradients are reduce_scatter and all_gather.

    ```mlir
    %mean = zero.all_reduce %loss over @dp {scale = 0.25 : f64} : tensor<f32>
    ```

    With `tree` neighbours are added first, as zero.reduce_scatter does; with
    `by_slice` ranks are in the order of their slices, which is another one
    where they are in groups.

    Constraints:
    * (C1) at most 64 bytes of f32 or f64.
    * (C2) with `tree`, a power of two of ranks; `by_slice` only with `tree`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$value, FlatSymbolRefAttr:$axis, F64Attr:$scale,
                       UnitAttr:$tree, UnitAttr:$by_slice);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value `over` $axis attr-dict `:` type($value)";
  let extraClassDeclaration = [{ static constexpr int64_t kMaxBytes = 64; }];
}

//===----------------------------------------------------------------------===//
// Transfers between tiers
//===----------------------------------------------------------------------===//
//
//   nvme  -- fetch, nvme_read -->   host  -- fetch, h2d -->   device
//   nvme  <-- spill, nvme_write --  host  <-- spill, d2h --   device
//
// A transfer brings a value to another tier for a while; the positions of the
// operations say for how long.  No other operations have values in two tiers.

class Zero_TransferOp<string mnemonic> : Zero_PlanOp<mnemonic, [
    "crossesTiers", "getStorageTies", "getExtent", "getPreferredStream", "bringsState", "getBytesUse"], [UsesSymbols]> {
  let arguments = (ins Zero_Held:$source, OptionalAttr<FlatSymbolRefAttr>:$bucket,
                       Optional<Zero_Held>:$into);
  let results = (outs Zero_Held:$result);
  let assemblyFormat = [{
    $source (`of` $bucket^)? (`into` $into^)? attr-dict `:` type($source) (`,` type($into)^)? `->` type($result)
  }];
}

def Zero_FetchOp : Zero_TransferOp<"fetch"> {
  let summary = "The same value one tier nearer to the device";
  let description = [{
    From nvme to the host, or from the host to the device; with `into`, in the
    bytes of that value.

    ```mlir
    %w = zero.fetch %p of @b0 : !zero.shard<4160 x f32 by 2 on host> -> !zero.shard<4160 x f32 by 2>
    %q1 = zero.fetch %next of @b0 into %q : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
    ```

    The second fetches a slice into the rank's part of a whole value, the rest
    of which stays as it is.

    Constraints:
    * (C1) the result is one tier nearer to the device.
    * (C2) with a bucket, both are the whole bucket or both the rank's slice; or
      a slice goes into a whole one.  Without a bucket, both are the same
      tensor.
    * (C3) `into` has the result's type.
  }];
}

def Zero_SpillOp : Zero_TransferOp<"spill"> {
  let summary = "The same value one tier farther from the device";
  let description = [{
    From the device to the host, or from the host to nvme; with `into`, in the
    bytes of that value.

    ```mlir
    %h = zero.spill %g of @b0 : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2 on host>
    %m2 = zero.spill %m1 of @b0 into %m : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 2 on nvme> -> !zero.shard<4160 x f32 by 2 on nvme>
    %c = zero.spill %clip : tensor<f32> -> !zero.stored<tensor<f32> on host>
    ```

    The first spills the rank's slice of a whole value.

    Constraints:
    * (C1) the result is one tier farther from the device.
    * (C2) with a bucket, both are the whole bucket or both the rank's slice; or
      a slice is taken of a whole one.  Without a bucket, both are the same
      tensor.
    * (C3) `into` has the result's type.
  }];
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

def Zero_AccumulateOp : Zero_PlanOp<"accumulate", ["getStorageTies"], [
    CountsFlops, UsesSymbols, AllTypesMatch<["sum", "result"]>]> {
  let hasVerifier = 0;
  let summary = "Adds a micro-step's gradients to those before it";
  let description = [{
    `sum + scale x flat`, in the bytes of `sum`.  Gradients of 16 bits may have
    a sum of f32; a sum of 16 bits is computed in f32 and rounded.

    ```mlir
    %a1 = zero.accumulate %a, %flat of @b0 {scale = 1.0 : f64} : !zero.shard<4144 x f32 by 1>, tensor<4144xf32>
    ```

    Constraints:
    * (C1) both are the whole bucket.
  }];
  let arguments = (ins Zero_Flat:$sum, Zero_Flat:$flat, FlatSymbolRefAttr:$bucket, F64Attr:$scale);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$sum `,` $flat `of` $bucket attr-dict `:` type($sum) `,` type($flat)";
}

def Zero_AddLeafOp : Zero_PlanOp<"add_leaf", ["getStorageTies"], [CountsFlops, UsesSymbols]> {
  let summary = "Adds a micro-step's gradients to a binary tree of sums";
  let description = [{
    The gradients of 2^n micro-steps are added up in a binary tree, neighbours
    first, with n sums: sum j is of 2^j micro-steps.  Micro-step `number`, from
    0 on, is added to sum 0, 1, ... as long as bit 0, 1, ... of the number is
    set, `sum j + gradients so far`; what this gives becomes the sum of the
    first bit that is not.  Other sums stay as they are.

    ```mlir
    %b0, %b1 = zero.add_leaf %flat of @b0 into(%a0, %a1) number %k : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<i64>) -> (!zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>)
    ```

    Constraints:
    * (C1) the gradients and the sums are the whole bucket, or all are the
      rank's slice.
    * (C2) there is a sum, and sums are f32; results have their types.
  }];
  let arguments = (ins Zero_Flat:$leaf, FlatSymbolRefAttr:$bucket, Variadic<Zero_Flat>:$sums,
                       0DTensorOf<[I64]>:$number);
  let results = (outs Variadic<Zero_Flat>:$next);
  let assemblyFormat = [{
    $leaf `of` $bucket `into` `(` $sums `)` `number` $number attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 0;
}

def Zero_SumLeavesOp : Zero_PlanOp<"sum_leaves", ["getStorageTies"], [CountsFlops, UsesSymbols]> {
  let summary = "The sum of a binary tree of gradients, with those of the last micro-step";
  let description = [{
    `scale x (sum n + ... (sum 1 + (sum 0 + gradients)))`, in the bytes of sum
    0: what zero.add_leaf would give for a number of ones only, times `scale`.

    ```mlir
    %g = zero.sum_leaves %flat of @b0 and(%b0, %b1) {scale = 0.25 : f64} : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>) -> !zero.shard<4144 x f32 by 1>
    ```

    Constraints:
    * (C1) the gradients and the sums are the whole bucket, or all are the
      rank's slice.
    * (C2) there is a sum, and sums are f32; the result has their type.
  }];
  let arguments = (ins Zero_Flat:$leaf, FlatSymbolRefAttr:$bucket, Variadic<Zero_Flat>:$sums, F64Attr:$scale);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = [{
    $leaf `of` $bucket `and` `(` $sums `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 0;
}

def Zero_ClearOp : Zero_PlanOp<"clear", ["getStorageTies", "getExtent"], [SameOperandsAndResultType]> {
  let summary = "Zeros, for the next step's gradients";
  let description = [{
    Overwrites the operand, padding included.

    ```mlir
    %a0 = zero.clear %a1 of @b0 : !zero.shard<4144 x f32 by 1>
    ```
  }];
  let arguments = (ins Zero_Flat:$value, FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "$value `of` $bucket attr-dict `:` type($value)";
  let hasVerifier = 0;
}

def Zero_ZerosOp : Zero_PlanOp<"zeros", ["getBytesUse"], [UsesSymbols]> {
  let summary = "Zeros, to start a sum of gradients";
  let description = [{
    In bytes of its own, padding included.

    ```mlir
    %a0 = zero.zeros of @b0 : !zero.shard<4144 x f32 by 1>
    ```

    Constraints:
    * (C1) the result is the bucket's slice by the ranks of its axis, or whole.
  }];
  let arguments = (ins FlatSymbolRefAttr:$bucket);
  let results = (outs Zero_Flat:$result);
  let assemblyFormat = "`of` $bucket attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Zero_SumSquaresOp : Zero_PlanOp<"sum_squares", ["getExtent", "getPreferredStream"], [
    CountsFlops, UsesSymbols, Pure]> {
  let hasVerifier = 0;
  let summary = "Sums of squares of the rank's slice of a bucket's gradients";
  let description = [{
    In f64, one partial sum per 16,384 elements of each member's part of the
    slice, in order; padding is not read.  On one rank the slice is the bucket.
    Ranks may have different numbers of blocks; unused partial sums are zero.

    ```mlir
    %s = zero.sum_squares %g of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<2xf64>
    ```

    With `segments` the slice is cut into so many, and each has blocks of its
    own, as if it were a rank's slice.

    Constraints:
    * (C1) the operand is the bucket's slice by the ranks of its axis, or whole.
    * (C2) the result has one element per started block of each member's part,
      on the rank that has the most; and so for each segment.
  }];
  let arguments = (ins Zero_Flat:$flat, FlatSymbolRefAttr:$bucket,
                       DefaultValuedAttr<I64Attr, "1">:$segments);
  let results = (outs AnyStaticShapeTensor:$partials);
  let assemblyFormat = "$flat `of` $bucket attr-dict `:` type($flat) `->` type($partials)";
  let extraClassDeclaration = [{
    static constexpr int64_t kBlock = 16384;
    /// Partial sums of a slice of `bucket`, on the rank of `ranks` that has the
    /// most.
    static int64_t getNumBlocks(BucketOp bucket, int64_t ranks);
    static int64_t getNumBlocks(::llvm::ArrayRef<MemberAttr> members, int64_t elements,
                                int64_t ranks);
  }];
}

def Zero_TotalOp : Zero_PlanOp<"total", ["getPreferredStream"], [CountsFlops, Pure]> {
  let summary = "Partial sums added up, in order";
  let description = [{
    In f64, operands in order and elements in order.

    ```mlir
    %t = zero.total %s0, %s1 : tensor<2xf64>, tensor<1xf64> -> tensor<f64>
    ```

    Constraints:
    * (C1) operands are tensors of f64 of at most one dimension, at least one;
      the result is `tensor<f64>`.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$partials);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$partials attr-dict `:` type($partials) `->` type($result)";
}

def Zero_ClipOp : Zero_PlanOp<"clip", [], [CountsFlops, Pure, AttrSizedOperandSegments]> {
  let summary = "The gradient norm, and the factor that limits it";
  let description = [{
    `norm = sqrt(sum of all partials)`, summed in f64 in operand order and
    rounded once; `factor = min(1, max_norm / (norm + 1e-6))`, as PyTorch's
    `clip_grad_norm_`.  Without `max_norm` the factor is 1, and an optimizer
    whose factor is always 1 does not take it.

    ```mlir
    %norm, %factor = zero.clip %s0, %s1 {max_norm = 1.0 : f64} : tensor<2xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    ```

    If gradients are `scale` times the true ones, the norm and the factor are
    divided by it; nothing else removes a loss scale.

    A step that may be skipped has operands `within`: the limit of the norm, the
    limit of the sum of all losses of the program, and then these losses, summed
    in f32 in operand order.  The factor is NaN unless the norm and the sum are
    finite and at most their limits.  The largest finite number as a limit
    rejects only what is not finite.

    ```mlir
    %norm, %factor = zero.clip %s0 scale(%s : tensor<f32>) within(%norm_limit, %loss_limit, %loss : tensor<f32>, tensor<f32>, tensor<f32>) : tensor<2xf64> -> tensor<f32>, tensor<f32>
    ```

    Constraints:
    * (C1) partials are tensors of f64 of at most one dimension, at least one.
    * (C2) `max_norm` is positive.
    * (C3) `within` has two limits, or is left out.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$partials, Optional<0DTensorOf<[F32]>>:$scale,
                       Variadic<0DTensorOf<[F32]>>:$within, OptionalAttr<F64Attr>:$max_norm);
  let results = (outs 0DTensorOf<[F32]>:$norm, 0DTensorOf<[F32]>:$factor);
  let assemblyFormat = [{
    $partials (`scale` `(` $scale^ `:` type($scale) `)`)? (`within` `(` $within^ `:` type($within) `)`)? attr-dict `:` type($partials) `->` type($norm) `,` type($factor)
  }];
  let extraClassDeclaration = [{
    static constexpr double kEpsilon = 1e-6;
    /// Whether the factor may be NaN, so that updates skip the step.
    bool maySkip() { return !getWithin().empty(); }
  }];
}

def Zero_UpdateOp : Zero_PlanOp<"update", [
    "getStorageTies", "getExtent", "getPreferredStream", "getBytesUse"], [
    CountsFlops, UsesSymbols, AttrSizedOperandSegments]> {
  let summary = "Applies an optimizer to a bucket";
  let description = [{
    Runs over members, each with its weight decay; padding stays as it is.
    Results are the next parameter and state, in the operands' bytes.

    Where the state slots are shards, the update works on the rank's slice, also
    of a whole parameter or gradient.  A whole parameter then has its next
    values in that slice only, until it is gathered.

    ```mlir
    %p1, %m1, %v1 = zero.update @adamw of @b0 (%p, %g, %m, %v) scalars(%lr, %clip, %step) {decay = 0.1 : f64}
      : (!zero.shard<4144 x f32 by 1>, tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>), (tensor<f32>, tensor<f32>, tensor<f32>)
      -> !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>
    ```

    A parameter of 16 bits may have a `master` of f32, which the optimizer takes
    in its place; the next master comes last, and the next parameter is its
    rounding.  Gradients and state of 16 bits are widened, and state is rounded.

    A parameter of bf16 without a master is widened too, and rounded
    stochastically: the probability of rounding up is proportional to the
    distance from the number below, so that changes that are too small for a
    single step add up.  `rounding` is 64 random bits of this step; together
    with the parameter's name and an element's place in it, they determine the
    element's rounding, independent of the layout (docs/precision.md).

    With `skip_nonfinite` everything keeps its value if the factor of
    `zero.clip`, the scalar `clip` of the optimizer, is NaN.

    It runs in the tier of its operands.  An update in host memory also takes
    its scalars from there.  If the parameter itself is on the device, the
    update takes none (`_`) and makes the next one, in bytes of its own, from
    the master.

    ```mlir
    %h1, %m1, %v1, %w1 = zero.update @adamw of @b0 (_, %g, %m, %v) master(%w) scalars(%lr, %clip, %step) {decay = 0.1 : f64}
      : (_, !zero.shard<4144 x bf16 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>), master !zero.shard<4144 x f32 by 1 on host>,
        (!zero.stored<tensor<f32> on host>, !zero.stored<tensor<f32> on host>, !zero.stored<tensor<f32> on host>)
      -> !zero.shard<4144 x bf16 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>
    ```

    Constraints:
    * (C1) operands are the parameter, the gradient and one per state slot of
      the optimizer.
    * (C2) one scalar operand of f32 per scalar of the optimizer but `decay`;
      with `skip_nonfinite` one of them is `clip`.
    * (C3) parameter, gradient and state are f32, bf16 or f16, each the whole
      bucket or the rank's slice.
    * (C4) all state slots, the master among them, are whole, or all are slices;
      where they are whole, so are parameter and gradient.
    * (C5) a parameter of 16 bits has a master, or is bf16 and has `rounding`;
      one of f32 may have one, which it equals.  Masters are f32.  Where there
      is no parameter, there is a master.
    * (C6) there is `rounding` exactly if a parameter of 16 bits has no master;
      it is bf16.
  }];
  let arguments = (ins FlatSymbolRefAttr:$optimizer, FlatSymbolRefAttr:$bucket, Optional<Zero_Flat>:$param,
                       Zero_Flat:$grad, Variadic<Zero_Flat>:$slots, Optional<Zero_Flat>:$master,
                       Variadic<Zero_Scalar>:$scalars, Optional<0DTensorOf<[I64]>>:$rounding,
                       F64Attr:$decay, UnitAttr:$skip_nonfinite);
  let results = (outs Variadic<Zero_Flat>:$next);
  let extraClassDeclaration = [{
    /// Whether it works on the rank's slice.
    bool isSliced();
    /// The state that it updates besides the parameter: the slots, then the
    /// master.  The operands that follow the gradient, and the results from 1 on.
    ::mlir::OperandRange getKept();
  }];
  let assemblyFormat = [{
    $optimizer `of` $bucket `(` ($param^) : (`_`)? `,` $grad (`,` $slots^)? `)` (`master` `(` $master^ `)`)?
    `scalars` `(` $scalars `)` (`rounding` `(` $rounding^ `:` type($rounding) `)`)?
    attr-dict `:` `(` custom<TypeOrNone>(type($param)) `,` type($grad) (`,` type($slots)^)? `)` `,`
    (`master` type($master)^ `,`)? `(` type($scalars) `)` `->` type($next)
  }];
}

def Zero_RecordOp : Zero_PlanOp<"record", ["movesNothing"]> {
  let hasVerifier = 0;
  let summary = "Marks a point of its stream";
  let description = [{
    Reached when everything issued to the stream before it has finished.

    ```mlir
    %e = zero.record on reduce
    zero.wait %e on compute
    ```
  }];
  let arguments = (ins EnumProp<Zero_Stream>:$on);
  let results = (outs Zero_EventType:$event);
  let assemblyFormat = "`on` $on attr-dict";
}

def Zero_WaitOp : Zero_PlanOp<"wait", ["movesNothing"]> {
  let hasVerifier = 0;
  let summary = "Holds its stream until an event's point has been reached";
  let arguments = (ins Zero_EventType:$event, EnumProp<Zero_Stream>:$on);
  let assemblyFormat = "$event `on` $on attr-dict";
}

#endif
