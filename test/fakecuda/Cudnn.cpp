//===- Cudnn.cpp - libcudnn.so, for tests ---------------------------------===//
//
// The functions of cuDNN that the runtime calls, and of its descriptors those
// of attention.  Graphs are computed in f64 (CudnnGraph.h).  Arguments are
// checked: attributes have their types and are set before the end of the
// definition, all memory is the device's and aligned, the workspace is as large
// as was asked for, and the engine gives equal bits in equal runs.
//
//   FAKE_CUDNN_ENGINES=3:unsteady,6,7   the engines of each graph, the fastest
//                                       first, which is not deterministic
//   FAKE_CUDNN_MORE=BYTES               of workspace
//   FAKE_CUDNN_VERSION=91900
//
//===----------------------------------------------------------------------===//
#include "CudnnGraph.h"
#include "Driver.h"
#include "Faults.h"
#include "Machine.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <string>

using namespace fakecuda;

namespace {

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool isFinished = false;
  struct Attribute {
    cudnnBackendAttributeType_t type;
    std::vector<char> bytes;
  };
  std::map<int, Attribute> attributes;
  std::shared_ptr<CudnnGraph> graph; ///< of an operation graph, and what has it
  int64_t engine = -1;               ///< of what an engine belongs to
  bool isUnsteady = false;

  template <typename T>
  std::vector<T> list(int name, cudnnBackendAttributeType_t of) const {
    const auto found = attributes.find(name);
    if (found == attributes.end())
      return {};
    if (found->second.type != of)
      misuse(fmt::format("attribute {} is of type {}", name,
                         int(found->second.type)));
    std::vector<T> values(found->second.bytes.size() / sizeof(T));
    std::memcpy(values.data(), found->second.bytes.data(),
                found->second.bytes.size());
    return values;
  }
  template <typename T>
  T get(int name, cudnnBackendAttributeType_t of) const {
    const std::vector<T> values = list<T>(name, of);
    if (values.size() != 1)
      misuse(
          fmt::format("a descriptor of type {} has {} values of attribute {}",
                      int(type), values.size(), name));
    return values[0];
  }
  const Descriptor &at(int name) const {
    return *static_cast<Descriptor *>(
        get<void *>(name, CUDNN_TYPE_BACKEND_DESCRIPTOR));
  }
};

Descriptor &of(cudnnBackendDescriptor_t descriptor) {
  if (!descriptor)
    misuse("a descriptor that does not exist");
  return *static_cast<Descriptor *>(descriptor);
}

std::string environment(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

uint64_t sizeOf(cudnnBackendAttributeType_t type) {
  return type == CUDNN_TYPE_CHAR || type == CUDNN_TYPE_BOOLEAN ? 1
         : type == CUDNN_TYPE_INT64 || type == CUDNN_TYPE_VOID_PTR ||
                 type == CUDNN_TYPE_HANDLE ||
                 type == CUDNN_TYPE_BACKEND_DESCRIPTOR
             ? 8
             : 4;
}

CudnnTensor tensorOf(const Descriptor &d) {
  if (d.type != CUDNN_BACKEND_TENSOR_DESCRIPTOR || !d.isFinished)
    misuse("an operation on what is no tensor");
  CudnnTensor tensor;
  tensor.number = d.get<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64);
  tensor.type =
      d.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE);
  // Of four dimensions, or they have another size.
  tensor.shape = d.get<Shape>(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64);
  tensor.strides = d.get<Shape>(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64);
  const auto is = [&](int name) {
    return d.get<char>(name, CUDNN_TYPE_BOOLEAN) != 0;
  };
  tensor.isVirtual = is(CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  tensor.isByValue = is(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  return tensor;
}

/// The attributes of an operation: its inputs, and the result last.
const std::map<int, std::vector<int>> kOperations = {
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
     {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
      CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
      CUDNN_ATTR_OPERATION_POINTWISE_TDESC,
      CUDNN_ATTR_OPERATION_POINTWISE_YDESC}},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
     {CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
      CUDNN_ATTR_OPERATION_MATMUL_CDESC}},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
     {CUDNN_ATTR_OPERATION_REDUCTION_XDESC,
      CUDNN_ATTR_OPERATION_REDUCTION_YDESC}},
    {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
     {CUDNN_ATTR_OPERATION_RESHAPE_XDESC, CUDNN_ATTR_OPERATION_RESHAPE_YDESC}}};

CudnnOperation operationOf(const Descriptor &d) {
  CudnnOperation op = {d.type, 0, -1, {}, {}};
  const auto known = kOperations.find(d.type);
  if (known == kOperations.end())
    misuse(fmt::format("an operation of type {} in a graph", int(d.type)));
  if (d.type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
    const Descriptor &how = d.at(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    op.mode =
        how.get<int>(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE);
    if (op.mode == CUDNN_POINTWISE_GEN_INDEX)
      op.axis = how.get<int64_t>(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64);
  } else if (d.type == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR) {
    op.mode = d.at(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                  .get<int>(CUDNN_ATTR_REDUCTION_OPERATOR,
                            CUDNN_TYPE_REDUCTION_OPERATOR_TYPE);
  }
  for (const int name : known->second)
    if (d.attributes.contains(name))
      op.inputs.push_back(tensorOf(d.at(name)));
  op.result = op.inputs.back();
  op.inputs.pop_back();
  return op;
}

/// The engines of FAKE_CUDNN_ENGINES.
std::vector<std::pair<int64_t, bool>> engines() {
  std::istringstream text(environment("FAKE_CUDNN_ENGINES", "3:unsteady,6,7"));
  std::vector<std::pair<int64_t, bool>> all;
  for (std::string one; std::getline(text, one, ',');)
    all.emplace_back(std::stoll(one), one.ends_with(":unsteady"));
  return all;
}

} // namespace

extern "C" {

size_t cudnnGetVersion() {
  return std::stoul(environment("FAKE_CUDNN_VERSION", "91900"));
}
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  *handle = reinterpret_cast<cudnnHandle_t>(new cudaStream_t());
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete reinterpret_cast<cudaStream_t *>(handle);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  *reinterpret_cast<cudaStream_t *>(handle) = stream;
  return CUDNN_STATUS_SUCCESS;
}
const char *cudnnGetErrorString(cudnnStatus_t) { return "CUDNN_STATUS"; }
void cudnnGetLastErrorString(char *message, size_t size) {
  std::strncpy(message, "the reason", size);
}

cudnnStatus_t
cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                             cudnnBackendDescriptor_t *descriptor) {
  *descriptor = new Descriptor{type, false, {}, nullptr, -1, false};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t raw) {
  delete &of(raw);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t raw,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t count, const void *values) {
  Descriptor &d = of(raw);
  if (d.isFinished)
    misuse("an attribute of a descriptor that is finished");
  const char *begin = static_cast<const char *>(values);
  d.attributes[name] = {
      type, std::vector<char>(begin, begin + uint64_t(count) * sizeOf(type))};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t raw) {
  Descriptor &d = of(raw);
  if (d.isFinished)
    misuse("a descriptor is finished twice");
  if (d.type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    d.graph = std::make_shared<CudnnGraph>();
    for (void *op : d.list<void *>(CUDNN_ATTR_OPERATIONGRAPH_OPS,
                                   CUDNN_TYPE_BACKEND_DESCRIPTOR))
      d.graph->add(operationOf(of(op)));
  } else if (d.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) {
    d.graph = d.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).graph;
    if (!d.at(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP).isFinished)
      misuse("a heuristic without a device");
  } else if (d.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    const Descriptor &config = d.at(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    d.graph = config.graph;
    d.engine = config.engine;
    d.isUnsteady = config.isUnsteady;
  }
  d.isFinished = true;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t raw,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t most, int64_t *count,
                                       void *values) {
  const Descriptor &d = of(raw);
  const auto give = [&](Descriptor &to, int64_t engine, bool isUnsteady) {
    to.graph = d.graph;
    to.engine = engine;
    to.isUnsteady = isUnsteady;
    to.isFinished = true;
  };
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
    *count = 0;
    if (d.get<int>(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE) ==
        CUDNN_HEUR_MODE_A)
      for (const auto &[engine, isUnsteady] : engines())
        if (*count < most)
          give(of(static_cast<void **>(values)[(*count)++]), engine,
               isUnsteady);
    return CUDNN_STATUS_SUCCESS;
  }
  *count = 1;
  int64_t number = 0;
  switch (name) {
  case CUDNN_ATTR_ENGINECFG_ENGINE:
  case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
    give(of(*static_cast<void **>(values)), d.engine, d.isUnsteady);
    return CUDNN_STATUS_SUCCESS;
  case CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE:
    number = CUDNN_KNOB_TYPE_KERNEL_CFG;
    break;
  case CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE:
  case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
    number = d.engine;
    break;
  case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
    number = d.isUnsteady ? CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC
                          : CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
    break;
  case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    number = int64_t(d.graph->workspaceBytes()) +
             std::stoll(environment("FAKE_CUDNN_MORE", "0"));
    break;
  default:
    misuse(fmt::format("attribute {} is asked for", int(name)));
  }
  std::memcpy(values, &number, sizeOf(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                  cudnnBackendDescriptor_t rawPlan,
                                  cudnnBackendDescriptor_t rawPack) {
  const Descriptor &plan = of(rawPlan), &pack = of(rawPack);
  if (!plan.isFinished || !pack.isFinished || plan.isUnsteady)
    misuse("an engine that gives other bits in each run");
  const auto numbers =
      pack.list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64);
  const auto pointers = pack.list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                          CUDNN_TYPE_VOID_PTR);
  void *const workspace =
      pack.get<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR);
  const uint64_t bytes = plan.graph->workspaceBytes();
  needDevice("the workspace", workspace, bytes);
  std::map<int64_t, void *> addresses;
  for (size_t i = 0; i < numbers.size(); ++i)
    addresses[numbers[i]] = pointers.at(i);
  if (addresses.size() != plan.graph->tensors().size())
    misuse("the tensors of another graph");
  // Constants are read now.
  auto constants = std::make_shared<std::map<int64_t, std::array<char, 4>>>();
  for (const auto &[number, tensor] : plan.graph->tensors()) {
    void *&at = addresses.at(number);
    if (tensor.isByValue) {
      std::memcpy((*constants)[number].data(), at, 4);
      at = constants->at(number).data();
      continue;
    }
    needDevice("a tensor", at, tensor.span());
    if (reinterpret_cast<uintptr_t>(at) % 16 != 0)
      misuse(fmt::format("tensor {} is not aligned to 16", number));
  }
  fakecuda::issue(*reinterpret_cast<CUstream *>(handle), "cudnnBackendExecute",
                  [graph = plan.graph, addresses, constants, workspace, bytes] {
                    std::memset(workspace, 0xff, bytes);
                    graph->run(addresses);
                    spoil("cudnnBackendExecute",
                          addresses.at(graph->lastResult()));
                  });
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
