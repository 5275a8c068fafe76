//===- Cudnn.cpp - NVIDIA's cuDNN, loaded at run time ---------------------===//
#include "runtime/device/cuda/attention/Cudnn.h"

#include "runtime/device/cuda/driver/SharedLibrary.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <array>

using namespace zrt;
using namespace zrt::cuda;

/// The first version whose backward masks any number of keys by itself.
static constexpr size_t kOldest = 91600;

Cudnn::Cudnn() {
  const SharedLibrary file({"libcudnn.so.9"},
                           "NVIDIA's cuDNN (--attention=cudnn)");
  file.find("cudnnGetVersion", GetVersion);
  if (GetVersion() < kOldest)
    fail("this is {}, and --attention=cudnn needs {} or later; install a newer "
         "one, or compile without that option",
         version(), kOldest);
#define ZRT_CUDNN(FUNCTION) file.find("cudnn" #FUNCTION, FUNCTION);
#include "runtime/device/cuda/attention/CudnnFunctions.def"
}

void Cudnn::check(const char *call, cudnnStatus_t status) const {
  if (status == CUDNN_STATUS_SUCCESS)
    return;
  std::array<char, 1024> reason = {};
  GetLastErrorString(reason.data(), reason.size());
  std::string text = reason.data();
  std::replace(text.begin(), text.end(), '\n', ' ');
  fail("{}: {} ({}){}{}", call, GetErrorString(status), int(status),
       text.empty() ? "" : ": ", text);
}

std::string Cudnn::version() const {
  return fmt::format("cuDNN {}", GetVersion());
}

CudnnDescriptor::CudnnDescriptor(const Cudnn &theLibrary,
                                 cudnnBackendDescriptorType_t type)
    : library(&theLibrary) {
  library->check("cudnnBackendCreateDescriptor",
                 library->BackendCreateDescriptor(type, &raw));
}

CudnnDescriptor::~CudnnDescriptor() {
  if (raw)
    (void)library->BackendDestroyDescriptor(raw);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                          cudnnBackendAttributeType_t type, int64_t count,
                          const void *values) {
  library->check("cudnnBackendSetAttribute",
                 library->BackendSetAttribute(raw, name, type, count, values));
}

static std::vector<cudnnBackendDescriptor_t>
handlesOf(const std::vector<CudnnDescriptor> &descriptors) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const CudnnDescriptor &one : descriptors)
    handles.push_back(one.handle());
  return handles;
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                          const std::vector<CudnnDescriptor> &others) {
  const std::vector<cudnnBackendDescriptor_t> handles = handlesOf(others);
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, int64_t(handles.size()),
      handles.data());
}

int64_t CudnnDescriptor::read(cudnnBackendAttributeName_t name,
                              cudnnBackendAttributeType_t type, int64_t most,
                              void *values) const {
  int64_t count = 0;
  library->check(
      "cudnnBackendGetAttribute",
      library->BackendGetAttribute(raw, name, type, most, &count, values));
  return std::min(count, most);
}

std::vector<CudnnDescriptor>
CudnnDescriptor::list(cudnnBackendAttributeName_t name,
                      cudnnBackendDescriptorType_t type, size_t most) const {
  std::vector<CudnnDescriptor> found;
  for (size_t i = 0; i < most; ++i)
    found.emplace_back(*library, type);
  std::vector<cudnnBackendDescriptor_t> handles = handlesOf(found);
  const int64_t count =
      read(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, int64_t(most), handles.data());
  while (found.size() > size_t(count))
    found.pop_back();
  return found;
}

bool CudnnDescriptor::tryFinish() const {
  return library->BackendFinalize(raw) == CUDNN_STATUS_SUCCESS;
}

void CudnnDescriptor::finish() const {
  library->check("cudnnBackendFinalize", library->BackendFinalize(raw));
}
