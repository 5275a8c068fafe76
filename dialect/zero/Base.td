//===- Base.td - The dialect, and classes for its parts ----*- tablegen -*-===//
#ifndef ZERO_BASE
#define ZERO_BASE

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

/// A double that prints with all its digits.
def Zero_Double : AttrParameter<"::llvm::APFloat", ""> {
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
  let parser = "::mlir::zero::parseDouble($_parser)";
  let printer = "$_printer.printFloat($_self)";
}

class Zero_Attr<string name, string attrMnemonic> : AttrDef<Zero_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class Zero_Type<string name, string typeMnemonic> : TypeDef<Zero_Dialect, name> {
  let mnemonic = typeMnemonic;
}

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

/// A collective between ranks; `collectives` names the methods of
/// CollectiveOpInterface that it overrides.
class Zero_CollectiveOp<string mnemonic, list<string> says, list<string> collectives, list<Trait> traits = []> :
    Zero_PlanOp<mnemonic, !listconcat(["getPreferredStream"], says), !listconcat([
      DeclareOpInterfaceMethods<Zero_CollectiveOpInterface, collectives>], traits)>;

#endif
