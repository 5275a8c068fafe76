//===- ProgramOps.td - Programs and kernels of a plan ------*- tablegen -*-===//
//
// The two kinds of functions of a plan.  A model, and its step before it is
// partitioned, are plain functions.
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_PROGRAM_OPS
#define ZERO_PROGRAM_OPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "dialect/zero/Types.td"

class Zero_FunctionOp<string mnemonic> : Zero_Op<mnemonic, [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove]> {
  let hasCustomAssemblyFormat = 1;
  let regions = (region MaxSizedRegion<1>:$body);
  dag functionArguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                           OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                           OptionalAttr<DictArrayAttr>:$res_attrs);
  code functionDeclarations = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}

def Zero_ProgramOp : Zero_FunctionOp<"program"> {
  let summary = "The code of a rank between two joins of its streams";
  let description = [{
    Straight-line code.  All programs of a plan take the same arguments: state,
    inputs that the host writes, and scalars.  They return the next state, in
    the order of the arguments, then outputs that the host reads.

    `@prefill` and `@decode` also take the caches of what they have read, last,
    and return the next ones between next state and outputs.  Other programs may use the
    bytes of caches.

    ```mlir
    zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b0, "param">},
                       %x: tensor<4xi32> {zero.input = "tokens", zero.vocab = 256 : i64},
                       %lr: tensor<f32> {zero.scalar = "lr"})
        -> (!zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
      ...
      zero.return %p1, %loss : !zero.shard<32 x f32 by 2>, tensor<f32>
    }
    ```

    At level memory, arguments carry `zero.at`, the bytes that they have in all
    programs.

    A program of one rank names the program that it replaces on that rank.  No
    pass writes such programs; they exist to show that the judge refuses ranks
    that differ.

    ```mlir
    zero.program @step.1(...) -> ... attributes {program = "step", rank = 1 : i64} { ... }
    ```

    Constraints:
    * (C1) an argument is one of state, input, scalar and cache, or none of
      them.
    * (C2) `program` and `rank` come together.
    * (C3) the body is one block, whose arguments and results match its type.
  }];
  let arguments = !con(functionArguments, (ins OptionalAttr<StrAttr>:$program, OptionalAttr<I64Attr>:$rank));
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = functionDeclarations # [{
    bool isDeclaration() { return isExternal(); }
    /// The block of the body.
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// The state that an argument holds; null if it holds none.
    ::mlir::zero::StateAttr getState(unsigned argument);
    /// The name of the input, or the scalar, that an argument is; null if it is none.
    ::mlir::StringAttr getInput(unsigned argument);
    ::mlir::StringAttr getScalar(unsigned argument);
    /// The name of the cache that an argument is; null if it is none.
    ::mlir::StringAttr getCache(unsigned argument);
    /// The bytes of an argument; null before they are assigned.
    ::mlir::zero::BytesAttr getArgumentBytes(unsigned argument);
    /// The name of the output that a result is; null if it is a next state or cache.
    ::mlir::StringAttr getOutput(unsigned result);
  }];
}

def Zero_KernelOp : Zero_FunctionOp<"kernel"> {
  let summary = "The computation of one launch";
  let description = [{
    A function of whole tensors, cut into units that do not depend on each
    other: any number of threads can share them.

      rows       a unit is an index of the first loops of each operation, and of
                 the first dimensions of inserts, which fill these
      columns    a unit is an index of the contiguous loop (KernelUnits.h), or [?]:
                 the number of elements is known only at run time
      serial     one unit
      attention  a unit is a head of a batch
      scatter    a unit is a column; tokens in order

    ```mlir
    zero.kernel @relu(%x: tensor<8x16xf32>) -> (tensor<8x16xf32> {zero.in_place = array<i64: 0>}) units rows [8] {
      ...
      zero.return %y : tensor<8x16xf32>
    }
    ```

    A result names the operands that it may replace (`zero.in_place`), or the
    one that it must replace (`zero.must_alias`).

    After bufferization operands are memrefs, and the last of them are the
    results.  In tests, a kernel without a body stands for any kernel of its
    type.

    Constraints:
    * (C1) a kernel with a body names its units, with as many sizes as their
      kind has: one or more for rows, one for columns and scatter, two for
      attention, none for serial.
    * (C2) a result may or must replace only an operand of its own type.
    * (C3) operands and results are tensors; or operands are memrefs, and there
      are no results.
    * (C4) the body is one block, whose arguments and results match its type.
    * (C5) columns are [?] exactly where memrefs are of unknown size; these have
      one dimension.
  }];
  let arguments = !con(functionArguments, (ins OptionalAttr<Zero_KernelKindAttr>:$kind,
                                           DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$space));
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 "::mlir::zero::KernelKind":$kind, "::llvm::ArrayRef<int64_t>":$space)>];
  let extraClassDeclaration = functionDeclarations # [{
    /// Always false, so that a kernel may be public without a body.
    bool isDeclaration() { return false; }
    /// Whether operands are memrefs, the last of them its results.
    bool isBufferized();
    /// The operand that a result must overwrite in place; nullopt if none.
    std::optional<unsigned> getMustReplace(unsigned result);
    /// The operands that a result may replace.
    ::llvm::ArrayRef<int64_t> getMayReplace(unsigned result);
  }];
}

def Zero_ReturnOp : Zero_Op<"return", [
    Pure, ParentOneOf<["ProgramOp", "KernelOp"]>, ReturnLike, Terminator]> {
  let summary = "Ends a program or a kernel with its results";
  let description = [{
    Constraints:
    * (C1) operands have the result types of the program or kernel.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif
