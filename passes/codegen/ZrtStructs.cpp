//===- ZrtStructs.cpp - Constants of zrt.h's structs in LLVM IR -----------===//

#include "passes/codegen/ZrtStructs.h"

#include "runtime/zrt.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::zero;

ZrtConstants::ZrtConstants(llvm::Module &module)
    : module(module), context(module.getContext()) {}

llvm::Constant *ZrtConstants::i32(uint32_t value) {
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
}
llvm::Constant *ZrtConstants::i64(uint64_t value) {
  return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
}
llvm::Constant *ZrtConstants::f64(double value) {
  return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context), value);
}

llvm::Constant *ZrtConstants::string(StringRef text) {
  llvm::Constant *&known = strings[text];
  if (!known)
    known = global(llvm::ConstantDataArray::getString(context, text), "str");
  return known;
}

llvm::Constant *ZrtConstants::array(ArrayRef<llvm::Constant *> elements) {
  if (elements.empty())
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  auto *type =
      llvm::ArrayType::get(elements.front()->getType(), elements.size());
  return global(llvm::ConstantArray::get(type, elements), "table");
}

llvm::Constant *ZrtConstants::shape(ArrayRef<int64_t> sizes) {
  SmallVector<llvm::Constant *> values;
  for (int64_t size : sizes)
    values.push_back(i64(size));
  return array(values);
}

llvm::Constant *ZrtConstants::structure(ArrayRef<llvm::Constant *> fields,
                                        size_t size) {
  llvm::Constant *value = llvm::ConstantStruct::getAnon(context, fields);
  // x86-64: natural alignment, as in C.  A field that was forgotten shows here.
  llvm::DataLayout layout("e-m:e-p:64:64-i64:64-n8:16:32:64-S128");
  if (layout.getTypeAllocSize(value->getType()) != size)
    llvm::report_fatal_error(
        "a struct of zrt.h changed and its constant did not");
  return value;
}

llvm::GlobalVariable *ZrtConstants::global(llvm::Constant *value,
                                           StringRef name, bool exported) {
  auto linkage = exported ? llvm::GlobalValue::ExternalLinkage
                          : llvm::GlobalValue::PrivateLinkage;
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  linkage, value, name);
}

llvm::Constant *ZrtConstants::ref(BytesAttr bytes) {
  if (!bytes)
    return structure({i32(0), i32(0), i64(0), i64(0)}, sizeof(zrt_ref));
  return structure({i32(static_cast<uint32_t>(bytes.getTier())), i32(0),
                    i64(bytes.getOffset()), i64(bytes.getSize())},
                   sizeof(zrt_ref));
}

llvm::Constant *ZrtConstants::init(Attribute init) {
  uint32_t kind = ZRT_INIT_CONSTANT;
  double a = 0, b = 0;
  if (auto normal = dyn_cast<NormalAttr>(init)) {
    kind = ZRT_INIT_NORMAL;
    b = normal.getStd().convertToDouble();
  } else if (auto uniform = dyn_cast<UniformAttr>(init)) {
    kind = ZRT_INIT_UNIFORM;
    a = uniform.getLow().convertToDouble();
    b = uniform.getHigh().convertToDouble();
  } else {
    a = cast<ConstantAttr>(init).getValue().convertToDouble();
  }
  return structure({i32(kind), i32(0), f64(a), f64(b)}, sizeof(zrt_init));
}
