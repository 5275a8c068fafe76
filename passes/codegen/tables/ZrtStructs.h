//===- ZrtStructs.h - Constants of zrt.h's structs in LLVM IR -------------===//
//
// abi/ZrtStructs.def lists the structs and their fields once.  Here each
// becomes a struct whose pointers are LLVM constants, and whose fields are set
// by name:
//
//   constants.global(Zrt<zrt_event_desc>{.event = 3}, "event")
//
// Fields that are not set are zero.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include <array>
#include <type_traits>

namespace mlir::zero {

/// The fields of a struct of zrt.h.
template <typename Struct>
struct Zrt;

namespace detail {
/// The type of a field: numbers for numbers, constants for pointers.
template <typename T>
struct ZrtField {
  using type = Zrt<T>;
};
template <typename T>
  requires std::is_arithmetic_v<T>
struct ZrtField<T> {
  using type = T;
};
template <typename T>
struct ZrtField<T *> {
  using type = llvm::Constant *;
};
template <typename T, size_t N>
struct ZrtField<T[N]> {
  using type = std::array<typename ZrtField<T>::type, N>;
};
} // namespace detail

#define ZRT_STRUCT(NAME)                                                       \
  template <>                                                                  \
  struct Zrt<NAME> {
#define ZRT_FIELD(NAME, TYPE, FIELD) detail::ZrtField<TYPE>::type FIELD = {};
#define ZRT_ARRAY(NAME, TYPE, FIELD, COUNT)                                    \
  detail::ZrtField<TYPE[COUNT]>::type FIELD = {};
#define ZRT_END(NAME)                                                          \
  }                                                                            \
  ;
#include "abi/ZrtStructs.def"

class ZrtConstants {
public:
  explicit ZrtConstants(llvm::Module &module);

  /// A pointer to a shared zero-terminated string.
  llvm::Constant *string(llvm::StringRef text);
  /// A pointer to the function `zk.NAME`, a zrt_kernel_fn of kernels.o.
  llvm::Constant *kernel(llvm::StringRef name);
  /// A pointer to a function of the runtime, a zrt_device_maker.
  llvm::Constant *deviceMaker(llvm::StringRef name);
  /// A pointer to a copy of `content`, at a multiple of 16.
  llvm::Constant *bytes(llvm::StringRef content);
  /// A pointer to an array of numbers or structs, or null for none.
  template <typename T>
  llvm::Constant *array(llvm::ArrayRef<T> elements) {
    return arrayOf(llvm::map_to_vector(
        elements, [&](const T &element) { return constant(element); }));
  }
  /// A global constant struct.
  template <typename Struct>
  llvm::Constant *global(const Zrt<Struct> &fields, llvm::StringRef name,
                         bool exported = false) {
    return globalOf(constant(fields), name, exported);
  }

private:
  llvm::Constant *constant(uint32_t value);
  llvm::Constant *constant(int64_t value);
  llvm::Constant *constant(uint64_t value);
  llvm::Constant *constant(double value);
  llvm::Constant *constant(llvm::Constant *pointer);
#define ZRT_STRUCT(NAME) llvm::Constant *constant(const Zrt<NAME> &fields);
#define ZRT_FIELD(NAME, TYPE, FIELD)
#define ZRT_ARRAY(NAME, TYPE, FIELD, COUNT)
#define ZRT_END(NAME)
#include "abi/ZrtStructs.def"
  template <typename T, size_t Count>
  llvm::Constant *constant(const std::array<T, Count> &elements) {
    auto list = llvm::map_to_vector(
        elements, [&](const T &element) { return constant(element); });
    return llvm::ConstantArray::get(
        llvm::ArrayType::get(list.front()->getType(), Count), list);
  }

  llvm::Constant *arrayOf(llvm::ArrayRef<llvm::Constant *> elements);
  /// A struct whose fields must lie at `offsets`, as they do in C.
  llvm::Constant *structOf(llvm::StringRef name,
                           llvm::ArrayRef<llvm::Constant *> fields,
                           llvm::ArrayRef<size_t> offsets, size_t size);
  llvm::GlobalVariable *globalOf(llvm::Constant *value, llvm::StringRef name,
                                 bool exported = false);

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::StringMap<llvm::Constant *> strings;
};

} // namespace mlir::zero
