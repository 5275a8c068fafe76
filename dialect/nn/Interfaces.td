//===- Interfaces.td - What passes ask nn operations -------*- tablegen -*-===//
#ifndef NN_INTERFACES
#define NN_INTERFACES

include "mlir/IR/OpBase.td"

def NN_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    Reverse-mode derivative of an operation on tensors.  `nn` operations
    implement it themselves; operations of `arith`, `math`, `tensor` and
    `linalg` get it from models that DifferentiateLoss registers.

    Given the adjoint of each result (a null value where nothing depends on
    it), the operation emits the adjoint of each operand that `needed` asks
    for.  An adjoint has the type of its value.
  }];
  let cppNamespace = "::mlir::nn";
  let methods = [
    InterfaceMethod<
      "Emits the operand adjoints; fails with an error at the operation.",
      "::llvm::LogicalResult", "differentiate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultAdjoints,
           "::llvm::ArrayRef<bool>":$needed,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandAdjoints)>,
    InterfaceMethod<[{
        Rewrites the operation into the form whose derivative is cheap, by
        adding the statistics that the backward reads (the row's log-sum-exp,
        a norm's mean and reciprocal deviation).  Called once, before the
        backward is built; by default nothing changes.
      }],
      "void", "saveForBackward", (ins "::mlir::RewriterBase &":$rewriter),
      /*methodBody=*/"", /*defaultImplementation=*/"(void)rewriter;">
  ];
}

def NN_LinalgFormOpInterface : OpInterface<"LinalgFormOpInterface"> {
  let description = [{
    The meaning of an operation, spelled in `linalg`, `tensor`, `arith` and
    `math`.  Row kernels are generated from it, and `--reference` runs it
    through upstream loops.
  }];
  let cppNamespace = "::mlir::nn";
  let methods = [
    InterfaceMethod<
      "Emits the linalg form and returns one value per result.",
      "::llvm::SmallVector<::mlir::Value>", "emitLinalgForm",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def NN_OwnKernelOpInterface : OpInterface<"OwnKernelOpInterface"> {
  let description = [{
    An operation that is a kernel of its own, with code by hand, in place of its
    linalg form.  Its mnemonic is the kernel's name.
  }];
  let cppNamespace = "::mlir::nn";
  let methods = [
    InterfaceMethod<"The units that threads cut the kernel into.",
      "::mlir::zero::KernelKind", "getKernelKind", (ins), "",
      "return ::mlir::zero::KernelKind::Attention;">,
    InterfaceMethod<"The number of units, by dimension.",
      "::llvm::SmallVector<int64_t>", "getKernelSpace", (ins)>,
    InterfaceMethod<"The operand that result number `result` overwrites; null if it has bytes of its own.",
      "::mlir::Value", "getOverwritten", (ins "unsigned":$result), "", "(void)result; return {};">,
    InterfaceMethod<"Whether it writes all of its results, used or not.",
      "bool", "writesUnused", (ins), "", "return false;">,
    InterfaceMethod<"Whether it writes its results into the tensor that they are inserted into.",
      "bool", "writesIntoInserts", (ins), "", "return false;">,
    InterfaceMethod<"Adds the results in which a device of its own keeps numbers between launches.",
      "void", "addRoom", (ins "::mlir::RewriterBase &":$rewriter),
      /*methodBody=*/"", /*defaultImplementation=*/"(void)rewriter;">
  ];
}

class NN_Trait<string name> : NativeOpTrait<name> { let cppNamespace = "::mlir::nn"; }

// What --precision does with 16 bits.  Without one of these traits, operands
// are widened, and results are f32.

/// Its first two operands and its result are rounded; others are widened.
def RoundsFactors : NN_Trait<"RoundsFactors">;
/// All of its operands and its first result are rounded.
def RoundsAll : NN_Trait<"RoundsAll">;
/// Its operands are widened, and its result is rounded.
def RoundsResult : NN_Trait<"RoundsResult">;
/// Computes nothing that needs more digits than 16 bits have: the same if it
/// reads nothing else.
def IsPlain : NN_Trait<"IsPlain">;
/// The result consists of unchanged elements of its operands.
def MovesElements : NN_Trait<"MovesElements">;

// What generation may compute for some positions alone.  Without one of these
// traits, an operation mixes positions.

/// Positions are in any dimension of the first operand, and in it of results.
def ReadsOwnElement : NN_Trait<"ReadsOwnElement">;
/// The same, but for the last dimension.
def ReadsOwnRow : NN_Trait<"ReadsOwnRow">;
/// Tokens, or their pairs with experts, are the first dimension.
def ReadsOwnTokens : NN_Trait<"ReadsOwnTokens">;

/// A layer of a model: what it reads is no longer of the logits.
def IsLayer : NN_Trait<"IsLayer">;

#endif
