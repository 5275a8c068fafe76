//===- CudnnGraph.cpp - Graphs of cuDNN's operations, in f64 --------------===//
#include "CudnnGraph.h"

#include "Machine.h"
#include "runtime/numbers/HalfFloats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace fakecuda;

namespace {

struct Values {
  Shape shape;
  std::vector<double> at;
};

uint64_t bytesOf(cudnnDataType_t type) {
  return type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16 ? 2
         : type == CUDNN_DATA_BOOLEAN                           ? 1
                                                                : 4;
}

double load(cudnnDataType_t type, const char *from) {
  const auto read = [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  if (bytesOf(type) == 2)
    return double(type == CUDNN_DATA_HALF ? zrt::widenHalf(read(uint16_t{}))
                                          : zrt::widenBrain(read(uint16_t{})));
  return type == CUDNN_DATA_INT32 ? read(int32_t{}) : double(read(float{}));
}

void store(cudnnDataType_t type, double value, char *to) {
  const auto real = float(value);
  const uint16_t half =
      type == CUDNN_DATA_HALF ? zrt::narrowHalf(real) : zrt::narrowBrain(real);
  if (bytesOf(type) == 2)
    std::memcpy(to, &half, 2);
  else
    std::memcpy(to, &real, 4);
}

/// The value that a tensor of this type has for `value`.
double rounded(cudnnDataType_t type, double value) {
  if (type == CUDNN_DATA_INT32 || type == CUDNN_DATA_BOOLEAN)
    return std::trunc(value);
  std::array<char, 4> bytes = {};
  store(type, value, bytes.data());
  return load(type, bytes.data());
}

template <typename Visit>
void forEach(const Shape &shape, Visit visit) {
  int64_t number = 0;
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h)
      for (int64_t r = 0; r < shape[2]; ++r)
        for (int64_t c = 0; c < shape[3]; ++c)
          visit(Shape{b, h, r, c}, number++);
}

int64_t placeOf(const Shape &at, const Shape &strides) {
  return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2] +
         at[3] * strides[3];
}

/// The element of `x` for place `at` of a tensor of `shape`.
double element(const Values &x, const Shape &at, const Shape &shape) {
  int64_t place = 0;
  for (size_t i = 0; i < 4; ++i)
    place = place * x.shape[i] + at[i] / (shape[i] / x.shape[i]);
  return x.at[size_t(place)];
}

using Element = double (*)(const std::vector<double> &);
const std::map<int, Element> kElements = {
    {CUDNN_POINTWISE_MUL, [](const auto &x) { return x[0] * x[1]; }},
    {CUDNN_POINTWISE_ADD, [](const auto &x) { return x[0] + x[1]; }},
    {CUDNN_POINTWISE_SUB, [](const auto &x) { return x[0] - x[1]; }},
    {CUDNN_POINTWISE_DIV, [](const auto &x) { return x[0] / x[1]; }},
    {CUDNN_POINTWISE_EXP, [](const auto &x) { return std::exp(x[0]); }},
    {CUDNN_POINTWISE_LOG, [](const auto &x) { return std::log(x[0]); }},
    {CUDNN_POINTWISE_CMP_GE,
     [](const auto &x) { return double(x[0] >= x[1]); }},
    {CUDNN_POINTWISE_CMP_GT, [](const auto &x) { return double(x[0] > x[1]); }},
    {CUDNN_POINTWISE_BINARY_SELECT,
     [](const auto &x) { return x[2] != 0 ? x[0] : x[1]; }}};

void compute(const CudnnOperation &op, const std::vector<const Values *> &in,
             Values &y) {
  const Values &x = *in[0];
  switch (op.kind) {
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    if (op.mode != CUDNN_POINTWISE_GEN_INDEX && !kElements.contains(op.mode))
      misuse(fmt::format("a pointwise operation of mode {}", op.mode));
    return forEach(y.shape, [&](const Shape &at, int64_t number) {
      std::vector<double> values;
      for (const Values *one : in)
        values.push_back(element(*one, at, y.shape));
      y.at[size_t(number)] = op.mode == CUDNN_POINTWISE_GEN_INDEX
                                 ? double(at.at(size_t(op.axis)))
                                 : kElements.at(op.mode)(values);
    });
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: {
    const int64_t depth = x.shape[3];
    if (in[1]->shape[2] != depth || x.shape[2] != y.shape[2] ||
        in[1]->shape[3] != y.shape[3])
      misuse("a matmul of sizes that do not fit");
    return forEach(y.shape, [&](const Shape &at, int64_t number) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += element(x, {at[0], at[1], at[2], k},
                       {y.shape[0], y.shape[1], y.shape[2], depth}) *
               element(*in[1], {at[0], at[1], k, at[3]},
                       {y.shape[0], y.shape[1], depth, y.shape[3]});
      y.at[size_t(number)] = sum;
    });
  }
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: {
    const bool isMax = op.mode == CUDNN_REDUCE_TENSOR_MAX;
    if (!isMax && op.mode != CUDNN_REDUCE_TENSOR_ADD)
      misuse(fmt::format("a reduction of mode {}", op.mode));
    std::fill(y.at.begin(), y.at.end(),
              isMax ? -std::numeric_limits<double>::infinity() : 0);
    return forEach(x.shape, [&](const Shape &at, int64_t number) {
      int64_t place = 0;
      for (size_t i = 0; i < 4; ++i)
        place = place * y.shape[i] + at[i] / (x.shape[i] / y.shape[i]);
      double &sum = y.at[size_t(place)];
      sum = isMax ? std::max(sum, x.at[size_t(number)])
                  : sum + x.at[size_t(number)];
    });
  }
  default: // a reshape that exchanges the last two dimensions
    return forEach(y.shape, [&](const Shape &at, int64_t number) {
      y.at[size_t(number)] = element(x, {at[0], at[1], at[3], at[2]}, x.shape);
    });
  }
}

} // namespace

uint64_t CudnnTensor::span() const {
  return elements() == 0 ? 0
                         : uint64_t(placeOf({shape[0] - 1, shape[1] - 1,
                                             shape[2] - 1, shape[3] - 1},
                                            strides) +
                                    1) *
                               bytesOf(type);
}

void CudnnGraph::add(const CudnnOperation &operation) {
  for (const CudnnTensor &one : operation.inputs) {
    if (one.isVirtual && !isMade[one.number])
      misuse(
          fmt::format("tensor {} is read, and nothing makes it", one.number));
    if (!one.isVirtual && !isMade[one.number])
      outside[one.number] = one;
  }
  const CudnnTensor &result = operation.result;
  if (std::exchange(isMade[result.number], true))
    misuse(fmt::format("tensor {} is made twice", result.number));
  if (operation.kind == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR) {
    const CudnnTensor &x = operation.inputs[0];
    if (result.shape != Shape{x.shape[0], x.shape[1], x.shape[3], x.shape[2]} ||
        result.strides !=
            Shape{x.strides[0], x.strides[1], x.strides[3], x.strides[2]})
      misuse("a reshape that moves elements");
  }
  if (!result.isVirtual)
    outside[result.number] = result;
  operations.push_back(operation);
}

uint64_t CudnnGraph::workspaceBytes() const {
  constexpr int64_t kOwn = 256;
  // The first product makes the scores; a backward has five.
  const CudnnOperation *first = nullptr;
  int products = 0;
  for (const CudnnOperation &op : operations)
    if (op.kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR && !products++)
      first = &op;
  if (products < 3)
    return kOwn;
  const auto [batch, heads, rows, columns] = first->result.shape;
  const int64_t ofKeys = first->inputs[1].shape[1] == heads
                             ? 0
                             : 2 * columns * first->inputs[0].shape[3],
                pairs = (rows + 63) / 64 * 64 * ((columns + 127) / 128 * 128);
  return uint64_t(batch * heads * (pairs + ofKeys) * 2 + kOwn);
}

void CudnnGraph::run(const std::map<int64_t, void *> &addresses) const {
  std::map<int64_t, Values> values;
  for (const auto &[number, tensor] : outside) {
    Values &to = values[number];
    to = {tensor.shape, std::vector<double>(size_t(tensor.elements()))};
    if (isMade.contains(number) && isMade.at(number))
      continue;
    const char *from = static_cast<const char *>(addresses.at(number));
    forEach(tensor.shape, [&](const Shape &at, int64_t i) {
      to.at[size_t(i)] =
          load(tensor.type, from + placeOf(at, tensor.strides) *
                                       int64_t(bytesOf(tensor.type)));
    });
  }
  for (const CudnnOperation &op : operations) {
    std::vector<const Values *> inputs;
    for (const CudnnTensor &one : op.inputs)
      inputs.push_back(&values.at(one.number));
    const CudnnTensor &result = op.result;
    Values y = {result.shape, std::vector<double>(size_t(result.elements()))};
    compute(op, inputs, y);
    for (double &value : y.at)
      value = rounded(result.type, value);
    if (!result.isVirtual) {
      char *to = static_cast<char *>(addresses.at(result.number));
      forEach(result.shape, [&](const Shape &at, int64_t i) {
        store(result.type, y.at[size_t(i)],
              to + placeOf(at, result.strides) * int64_t(bytesOf(result.type)));
      });
    }
    values[result.number] = std::move(y);
  }
}
