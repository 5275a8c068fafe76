//===- ZrtStructs.cpp - Constants of zrt.h's structs in LLVM IR -----------===//

#include "passes/codegen/tables/ZrtStructs.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstddef>

using namespace mlir::zero;

ZrtConstants::ZrtConstants(llvm::Module &module)
    : module(module), context(module.getContext()) {}

llvm::Constant *ZrtConstants::constant(uint32_t value) {
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
}
llvm::Constant *ZrtConstants::constant(int64_t value) {
  return constant(static_cast<uint64_t>(value));
}
llvm::Constant *ZrtConstants::constant(uint64_t value) {
  return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
}
llvm::Constant *ZrtConstants::constant(double value) {
  return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context), value);
}
llvm::Constant *ZrtConstants::constant(llvm::Constant *pointer) {
  return pointer ? pointer
                 : llvm::ConstantPointerNull::get(
                       llvm::PointerType::get(context, 0));
}

#define ZRT_STRUCT(NAME)                                                       \
  llvm::Constant *ZrtConstants::constant(const Zrt<NAME> &fields) {            \
    llvm::SmallVector<llvm::Constant *> list;                                  \
    llvm::SmallVector<size_t> offsets;
#define ZRT_FIELD(NAME, TYPE, FIELD)                                           \
  list.push_back(constant(fields.FIELD));                                      \
  offsets.push_back(offsetof(NAME, FIELD));
#define ZRT_ARRAY(NAME, TYPE, FIELD, COUNT) ZRT_FIELD(NAME, TYPE, FIELD)
#define ZRT_END(NAME)                                                          \
  return structOf(#NAME, list, offsets, sizeof(NAME));                         \
  }
#include "abi/ZrtStructs.def"

llvm::Constant *ZrtConstants::string(llvm::StringRef text) {
  llvm::Constant *&known = strings[text];
  if (!known)
    known = globalOf(llvm::ConstantDataArray::getString(context, text), "str");
  return known;
}

llvm::Constant *ZrtConstants::kernel(llvm::StringRef name) {
  llvm::Type *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(context),
      {llvm::PointerType::get(context, 0), i64, i64}, /*isVarArg=*/false);
  auto entry = module.getOrInsertFunction(("zk." + name).str(), type);
  return llvm::cast<llvm::Constant>(entry.getCallee());
}

llvm::Constant *ZrtConstants::deviceMaker(llvm::StringRef name) {
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {llvm::PointerType::get(context, 0)},
                                       /*isVarArg=*/false);
  return llvm::cast<llvm::Constant>(
      module.getOrInsertFunction(name, type).getCallee());
}

llvm::Constant *ZrtConstants::bytes(llvm::StringRef content) {
  llvm::GlobalVariable *copy = globalOf(
      llvm::ConstantDataArray::getString(context, content, /*AddNull=*/false),
      "bytes");
  copy->setAlignment(llvm::Align(16));
  return copy;
}

llvm::Constant *
ZrtConstants::arrayOf(llvm::ArrayRef<llvm::Constant *> elements) {
  if (elements.empty())
    return nullptr;
  auto *type =
      llvm::ArrayType::get(elements.front()->getType(), elements.size());
  return globalOf(llvm::ConstantArray::get(type, elements), "table");
}

llvm::Constant *ZrtConstants::structOf(llvm::StringRef name,
                                       llvm::ArrayRef<llvm::Constant *> fields,
                                       llvm::ArrayRef<size_t> offsets,
                                       size_t size) {
  llvm::StructType *type = llvm::StructType::getTypeByName(context, name);
  if (!type) {
    type = llvm::StructType::create(
        context,
        llvm::map_to_vector(
            fields, [](llvm::Constant *field) { return field->getType(); }),
        name);
    // x86-64: natural alignment, as in C.
    const llvm::DataLayout layout("e-m:e-p:64:64-i64:64-n8:16:32:64-S128");
    const llvm::StructLayout *places = layout.getStructLayout(type);
    bool isSame = places->getSizeInBytes() == size;
    for (auto [i, offset] : llvm::enumerate(offsets))
      isSame &= places->getElementOffset(i) == offset;
    if (!isSame)
      llvm::report_fatal_error("a struct of zrt.h has another layout in C");
  }
  return llvm::ConstantStruct::get(type, fields);
}

llvm::GlobalVariable *ZrtConstants::globalOf(llvm::Constant *value,
                                             llvm::StringRef name,
                                             bool exported) {
  auto linkage = exported ? llvm::GlobalValue::ExternalLinkage
                          : llvm::GlobalValue::PrivateLinkage;
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  linkage, value, name);
}
