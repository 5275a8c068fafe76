//===- ZrtStructs.h - Constants of zrt.h's structs in LLVM IR -------------===//
//
// One builder function per struct of zrt.h.  Fields are given in order, padding
// is written out, and every struct is checked against the C compiler's layout
// of the very header that the runtime includes.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_ZRTSTRUCTS_H
#define PASSES_CODEGEN_ZRTSTRUCTS_H

#include "dialect/zero/Zero.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace mlir::zero {

class ZrtConstants {
public:
  explicit ZrtConstants(llvm::Module &module);

  llvm::Constant *i32(uint32_t value);
  llvm::Constant *i64(uint64_t value);
  llvm::Constant *f64(double value);
  /// A pointer to a shared zero-terminated string.
  llvm::Constant *string(StringRef text);
  /// A pointer to a constant array, or null for none.
  llvm::Constant *array(ArrayRef<llvm::Constant *> elements);
  llvm::Constant *shape(ArrayRef<int64_t> sizes);
  /// A struct whose size must be `size`; fields are naturally aligned.
  llvm::Constant *structure(ArrayRef<llvm::Constant *> fields, size_t size);
  /// A constant global holding `value`.
  llvm::GlobalVariable *global(llvm::Constant *value, StringRef name,
                               bool exported = false);

  /// zrt_ref; a null range is an empty one.
  llvm::Constant *ref(BytesAttr bytes);
  llvm::Constant *init(Attribute init);

private:
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::StringMap<llvm::Constant *> strings;
};

} // namespace mlir::zero

#endif // PASSES_CODEGEN_ZRTSTRUCTS_H
