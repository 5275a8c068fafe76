//===- Passes.td - From kernels to machine code ------------*- tablegen -*-===//
//
// These passes run on a copy of a plan, in this order; CpuPipeline.cpp lists
// upstream's passes between them.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN
#define PASSES_CODEGEN

include "mlir/Pass/PassBase.td"

def FormPlanKernels : Pass<"zero-form-plan-kernels", "::mlir::ModuleOp"> {
  let summary = "Updates, clips and the like name kernels of their own";
  let description = [{
    Each operation of a plan that computes and is no launch gets a kernel beside
    the model's, on memrefs, and names it in `zero.kernels`.  Elementwise
    kernels work on buckets of any size.

    ```mlir
    %1 = zero.clear %0 of @b0 : !zero.shard<64 x f32 by 1>
    // becomes
    %1 = zero.clear %0 of @b0 {zero.kernels = [@clear]} : !zero.shard<64 x f32 by 1>

    zero.kernel @clear(%out: memref<?xf32>) units columns [?] {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%out : memref<?xf32>)
      zero.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect"];
}

def KeepKernels : Pass<"zero-keep-kernels", "::mlir::ModuleOp"> {
  let summary = "Drops all of a plan but its kernels, and what it says of itself";
}

def LowerHandWrittenKernels : Pass<"zero-lower-hand-written-kernels", "::mlir::ModuleOp"> {
  let summary = "Attention becomes calls of the runtime, scatters loops";
  let description = [{
    Kernels of units `attention` and `scatter` become functions on memrefs,
    written from views of their operands (still in tensor form), with the range
    of units to do as the last two arguments.
  }];
  let options = [Option<"forGpu", "gpu", "bool", "false", "for half-warps of a GPU">,
    Option<"attention", "attention", "std::string", "\"\"",
      "what multiplies in attention: f32; on a GPU tensor-cores, by default where they can; on a processor dots, tiles (of bf16) or both-tiles">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ReferenceToFunction : Pass<"zero-reference-to-function", "::mlir::ModuleOp"> {
  let summary = "Kernels on tensors become plain functions (--reference)";
  let description = [{
    From here on these functions take upstream's plain path.  The plan's own
    kernels are on memrefs already and stay kernels.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def PrepareBuffers : Pass<"zero-prepare-buffers", "::mlir::ModuleOp"> {
  let summary = "What results begin as is a tensor of their own";
  let description = [{
    An init that is a view becomes a copy of the view, and each use of a
    tensor.empty gets one of its own.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ToDestinationForm : Pass<"zero-to-destination-form", "::mlir::ModuleOp"> {
  let summary = "Tensor operands and results become memref arguments";
  let description = [{
    ```mlir
    zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4]
    // becomes
    zero.kernel @k(%x: memref<4x8xf32>, %out: memref<4x8xf32>) units rows [4]
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PlaceResults : Pass<"zero-place-results", "::mlir::ModuleOp"> {
  let summary = "Buffers that are copied to results become the results";
}

def ReferenceUnits : Pass<"zero-reference-units", "::mlir::ModuleOp"> {
  let summary = "Functions take a range of units, of which there is one (--reference)";
}

def PrepareReference : Pass<"zero-prepare-reference", "::mlir::ModuleOp"> {
  let summary = "The form that upstream bufferizes (--reference)";
  let description = [{
    Decomposes tensor.concat and aggregates such as linalg.softmax, which cannot
    be bufferized.  Marks arguments as the caller's, so that results are not
    computed in their bytes.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CopiesToLinalg : Pass<"zero-copies-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Copies become linalg operations like the rest";
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ApproximateMath : Pass<"zero-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Functions of math become polynomials";
  let options = [Option<"forGpu", "gpu", "bool", "false", "for threads of a GPU">];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect"];
}

def LowerUnitsToLoops : Pass<"zero-lower-units-to-loops", "::mlir::ModuleOp"> {
  let summary = "Kernels become functions of loops over their units";
  let description = [{
    Every linalg operation inside becomes vector loops (UnitLoops.cpp).  The
    last two arguments are the range of units to do.  An operand of unknown size
    is passed as its first element, and reaches to the end of that range.

    With `gpu`, a kernel is the code of one of 16 threads of a GPU: the half-warp
    does the units that a thread of a CPU would do, in the same order.  Two
    arguments stand before the range: the thread's index among the 16, and the
    memory that they share.
  }];
  let options = [Option<"forGpu", "gpu", "bool", "false", "for half-warps of a GPU">,
    Option<"sharedLimit", "shared-limit", "int64_t", "0",
      "on a GPU, the most bytes of shared memory of a block">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect"];
}

def ExpandBFloat16 : Pass<"zero-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "Casts to and from bf16 become integer arithmetic";
  let description = [{
    Rounds to the nearest value, and ties to even; denormal numbers keep their
    value, and every NaN becomes 0x7fc0.

    ```mlir
    %1 = arith.extf %0 : vector<16xbf16> to vector<16xf32>
    // becomes
    %a = arith.bitcast %0 : vector<16xbf16> to vector<16xi16>
    %b = arith.extui %a : vector<16xi16> to vector<16xi32>
    %c = arith.shli %b, %sixteen : vector<16xi32>
    %1 = arith.bitcast %c : vector<16xi32> to vector<16xf32>
    ```

    With `gpu`, the GPU's instruction rounds two numbers at a time (Warp.h).
  }];
  let options = [Option<"forGpu", "gpu", "bool", "false", "for threads of a GPU">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::vector::VectorDialect"];
}

def MoveBFloat16AsIntegers : Pass<"zero-move-bf16-as-integers", "::mlir::ModuleOp"> {
  let summary = "Loads and stores of bf16 become those of i16";
  let description = [{
    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> vector<16xbf16>
    // becomes
    %a = llvm.load %p : !llvm.ptr -> vector<16xi16>
    %0 = llvm.bitcast %a : vector<16xi16> to vector<16xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
