//===- CompiledFunction.cpp - A function on tensors, ready to call --------===//

#include "CompiledFunction.h"

#include "passes/codegen/ReferenceLowering.h"
#include "passes/model/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

FailureOr<zero::CompiledFunction>
zero::CompiledFunction::compile(OwningOpRef<ModuleOp> module, StringRef name) {
  CompiledFunction compiled;
  auto func = module->lookupSymbol<func::FuncOp>(name);
  for (Type type : llvm::concat<const Type>(func.getArgumentTypes(),
                                            func.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return func.emitError() << "@" << name
                              << " must take and return tensors of static "
                                 "shape, got "
                              << type;
    compiled.types.push_back(tensor);
  }
  func->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                UnitAttr::get(func.getContext()));

  // Removes argument attributes, which only plans use.
  func.removeArgAttrsAttr();
  func.removeResAttrsAttr();

  PassManager pm(module->getContext());
  buildReferenceLoopsPipeline(pm);
  if (failed(pm.run(*module)))
    return failure();
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Less;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(*module, options);
  if (!engine)
    return module->emitError() << llvm::toString(engine.takeError());
  compiled.engine = std::move(*engine);
  compiled.engine->initialize();
  compiled.entry = ("_mlir_ciface_" + name).str();
  return compiled;
}

llvm::Error zero::CompiledFunction::call(ArrayRef<const void *> arguments,
                                         ArrayRef<void *> results) {
  // A memref descriptor is: allocated, aligned, offset, sizes, strides.
  SmallVector<SmallVector<int64_t>> descriptors;
  auto describe = [&](const void *data) {
    RankedTensorType type = types[descriptors.size()];
    int64_t address = reinterpret_cast<int64_t>(data);
    SmallVector<int64_t> words = {address, address, 0};
    llvm::append_range(words, type.getShape());
    int64_t stride = 1;
    SmallVector<int64_t> strides;
    for (int64_t size : llvm::reverse(type.getShape())) {
      strides.push_back(stride);
      stride *= size;
    }
    llvm::append_range(words, llvm::reverse(strides));
    descriptors.push_back(words);
  };
  for (const void *data : arguments)
    describe(data);
  for (void *data : results)
    describe(data);

  // Packed calls take pointers to the arguments, which are pointers themselves.
  SmallVector<void *> pointers, packed;
  for (SmallVector<int64_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  for (void *&pointer : pointers)
    packed.push_back(static_cast<void *>(&pointer));
  return engine->invokePacked(entry, packed);
}
