//===- Cudnn.h - NVIDIA's cuDNN, loaded at run time -------------*- C++ -*-===//
//
// cuDNN's backend API has one kind of object, a descriptor, whose attributes
// are set by number and type:
//
//   CudnnDescriptor tensor(cudnn, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
//   tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, int64_t{1});
//   tensor.finish();                  throws, with the library's reason
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cudnn_graph.h>

#include <span>
#include <string>
#include <vector>

namespace zrt::cuda {

class Cudnn {
public:
  /// Throws zrt::Error if the library is not there, or too old.
  Cudnn();
  Cudnn(const Cudnn &) = delete;
  Cudnn &operator=(const Cudnn &) = delete;

  /// Throws unless `status`, the return value of `call`, is success.
  void check(const char *call, cudnnStatus_t status) const;
  /// Returns "cuDNN 91900".
  std::string version() const;

  /// The functions as in cudnn_graph.h.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define ZRT_CUDNN(FUNCTION) decltype(&::cudnn##FUNCTION) FUNCTION = nullptr;
#include "runtime/device/cuda/attention/CudnnFunctions.def"
};

/// The type of an attribute with values of type T.
template <typename T>
constexpr cudnnBackendAttributeType_t kCudnnType = CUDNN_TYPE_VOID_PTR;
template <>
inline constexpr auto kCudnnType<int64_t> = CUDNN_TYPE_INT64;
template <>
inline constexpr auto kCudnnType<bool> = CUDNN_TYPE_BOOLEAN;
template <>
inline constexpr auto kCudnnType<char> = CUDNN_TYPE_CHAR;
template <>
inline constexpr auto kCudnnType<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr auto kCudnnType<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr auto kCudnnType<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr auto kCudnnType<cudnnBackendKnobType_t> = CUDNN_TYPE_KNOB_TYPE;
template <>
inline constexpr auto kCudnnType<cudnnBackendNumericalNote_t> =
    CUDNN_TYPE_NUMERICAL_NOTE;
template <>
inline constexpr auto kCudnnType<cudnnPointwiseMode_t> =
    CUDNN_TYPE_POINTWISE_MODE;
template <>
inline constexpr auto kCudnnType<cudnnReduceTensorOp_t> =
    CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;

class CudnnDescriptor {
public:
  CudnnDescriptor(const Cudnn &library, cudnnBackendDescriptorType_t type);
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor &&other) noexcept
      : library(other.library), raw(other.raw) {
    other.raw = nullptr;
  }
  CudnnDescriptor(const CudnnDescriptor &) = delete;
  CudnnDescriptor &operator=(const CudnnDescriptor &) = delete;

  template <typename T>
  void set(cudnnBackendAttributeName_t name, std::span<const T> values) {
    set(name, kCudnnType<T>, int64_t(values.size()), values.data());
  }
  template <typename T>
  void set(cudnnBackendAttributeName_t name, const T &value) {
    set(name, std::span<const T>(&value, 1));
  }
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor &other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.raw);
  }
  /// Of descriptors, which must outlive this.
  void set(cudnnBackendAttributeName_t name,
           const std::vector<CudnnDescriptor> &others);

  /// Returns an attribute of one value.
  template <typename T>
  T get(cudnnBackendAttributeName_t name) const {
    T value = {};
    (void)read(name, kCudnnType<T>, 1, &value);
    return value;
  }
  /// Returns up to `most` values.
  template <typename T>
  std::vector<T> list(cudnnBackendAttributeName_t name, size_t most) const {
    std::vector<T> values(most);
    values.resize(
        size_t(read(name, kCudnnType<T>, int64_t(most), values.data())));
    return values;
  }
  /// Returns up to `most` descriptors of type `type`.
  std::vector<CudnnDescriptor> list(cudnnBackendAttributeName_t name,
                                    cudnnBackendDescriptorType_t type,
                                    size_t most) const;

  /// Ends its definition.  Throws zrt::Error.
  void finish() const;
  bool tryFinish() const;

  cudnnBackendDescriptor_t handle() const { return raw; }

private:
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
           int64_t count, const void *values);
  int64_t read(cudnnBackendAttributeName_t name,
               cudnnBackendAttributeType_t type, int64_t most,
               void *values) const;

  const Cudnn *library;
  cudnnBackendDescriptor_t raw = nullptr;
};

} // namespace zrt::cuda
