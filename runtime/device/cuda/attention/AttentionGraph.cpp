//===- AttentionGraph.cpp - Attention as a graph of cuDNN -----------------===//
#include "runtime/device/cuda/attention/AttentionGraph.h"

#include "runtime/text/Bytes.h"

#include <limits>

using namespace zrt;
using namespace zrt::cuda;

uint64_t zrt::cuda::sumBytes(const zrt_device_attention &of) {
  constexpr uint64_t kAlignment = 256, kFloat = 4;
  return of.backward
             ? roundUp(uint64_t(of.batch * of.heads * of.queries) * kFloat,
                       kAlignment)
             : 0;
}

AttentionGraph::AttentionGraph(const Cudnn &theLibrary,
                               const zrt_device_attention &of)
    : library(&theLibrary), d(of),
      type(of.dtype == ZRT_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF) {
  d.backward ? backward() : forward();
  whole = std::make_unique<CudnnDescriptor>(
      *library, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  whole->set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  whole->finish();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

AttentionGraph::Tensor AttentionGraph::make(int64_t number,
                                            cudnnDataType_t type, Shape shape,
                                            Shape strides, bool isVirtual,
                                            bool isByValue) {
  constexpr int64_t kAlignment = 16;
  CudnnDescriptor &tensor =
      tensors.emplace_back(*library, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number);
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const int64_t>(shape));
  tensor.set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const int64_t>(strides));
  tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
  tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, isVirtual);
  tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, isByValue);
  tensor.finish();
  return {&tensor, shape, strides};
}

AttentionGraph::Tensor AttentionGraph::rows(int64_t number,
                                            const zrt_head_rows &at,
                                            int64_t heads, int64_t positions) {
  return make(number, type, {d.at_once, heads, positions, d.width},
              {at.batch, at.head, at.position, 1});
}

AttentionGraph::Tensor AttentionGraph::transposed(int64_t number,
                                                  const zrt_head_rows &at,
                                                  int64_t positions) {
  return make(number, type, {d.at_once, d.key_heads, d.width, positions},
              {at.batch, at.head, 1, at.position});
}

AttentionGraph::Tensor AttentionGraph::statistic(int64_t number,
                                                 Shape strides) {
  return make(number, CUDNN_DATA_FLOAT, {d.at_once, d.heads, d.queries, 1},
              strides);
}

AttentionGraph::Tensor AttentionGraph::inside(Shape shape,
                                              cudnnDataType_t ofType) {
  return make(
      next++, ofType, shape,
      {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1},
      /*isVirtual=*/true);
}

AttentionGraph::Tensor AttentionGraph::constant(float value) {
  scalars.push_back({next, {.real = value}});
  return make(next++, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1},
              /*isVirtual=*/false, /*isByValue=*/true);
}

AttentionGraph::Tensor AttentionGraph::constant(int32_t value) {
  scalars.push_back({next, {.integer = value}});
  return make(next++, CUDNN_DATA_INT32, {1, 1, 1, 1}, {1, 1, 1, 1},
              /*isVirtual=*/false, /*isByValue=*/true);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void AttentionGraph::pointwise(cudnnPointwiseMode_t mode, const Tensor &x,
                               const Tensor *b, const Tensor &y,
                               cudnnDataType_t compute, const Tensor *chooses,
                               int64_t axis) {
  CudnnDescriptor &how =
      parts.emplace_back(*library, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  how.set(CUDNN_ATTR_POINTWISE_MODE, mode);
  how.set(CUDNN_ATTR_POINTWISE_MATH_PREC, compute);
  if (axis >= 0)
    how.set(CUDNN_ATTR_POINTWISE_AXIS, axis);
  how.finish();
  CudnnDescriptor &op = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  op.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  op.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *x.descriptor);
  if (b)
    op.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b->descriptor);
  if (chooses)
    op.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *chooses->descriptor);
  op.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, *y.descriptor);
  op.finish();
}

AttentionGraph::Tensor AttentionGraph::pointwise(cudnnPointwiseMode_t mode,
                                                 const Tensor &x,
                                                 const Tensor *b) {
  Tensor y = inside(x.shape);
  pointwise(mode, x, b, y);
  return y;
}

void AttentionGraph::matmul(const Tensor &a, const Tensor &b, const Tensor &c) {
  CudnnDescriptor &how =
      parts.emplace_back(*library, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  how.finish();
  CudnnDescriptor &op = add(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  op.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
  op.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, *a.descriptor);
  op.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, *b.descriptor);
  op.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, *c.descriptor);
  op.finish();
}

void AttentionGraph::reduce(cudnnReduceTensorOp_t by, const Tensor &x,
                            const Tensor &y) {
  CudnnDescriptor &how =
      parts.emplace_back(*library, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  how.set(CUDNN_ATTR_REDUCTION_OPERATOR, by);
  how.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  how.finish();
  CudnnDescriptor &op = add(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  op.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
  op.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, *x.descriptor);
  op.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, *y.descriptor);
  op.finish();
}

AttentionGraph::Tensor AttentionGraph::reshape(const Tensor &x,
                                               cudnnDataType_t ofType) {
  const auto swapped = [](Shape s) -> Shape {
    return {s[0], s[1], s[3], s[2]};
  };
  Tensor y = make(next++, ofType, swapped(x.shape), swapped(x.strides),
                  /*isVirtual=*/true);
  CudnnDescriptor &op = add(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  op.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, *x.descriptor);
  op.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, *y.descriptor);
  op.finish();
  return y;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

AttentionGraph::Tensor AttentionGraph::scores(const Tensor &q,
                                              const Tensor &keys) {
  const Tensor raw = inside({d.at_once, d.heads, d.queries, d.keys});
  matmul(q, keys, raw);
  const Tensor scale = constant(float(d.scale));
  return pointwise(CUDNN_POINTWISE_MUL, raw, &scale);
}

AttentionGraph::Tensor AttentionGraph::masked(const Tensor &scores) {
  if (!d.causal)
    return scores;
  const Tensor hidden = constant(-std::numeric_limits<float>::infinity());
  const auto index = [&](const Tensor &of, int64_t axis) {
    Tensor numbers = inside(of.shape, CUDNN_DATA_INT32);
    pointwise(CUDNN_POINTWISE_GEN_INDEX, of, nullptr, numbers, CUDNN_DATA_FLOAT,
              nullptr, axis);
    return numbers;
  };
  // cuDNN recognizes these forms only: i + keys - queries >= j, and
  // j + window - (keys - queries) > i.
  const auto moved = [&](cudnnPointwiseMode_t mode, const Tensor &x,
                         const Tensor &by, cudnnDataType_t ofType) {
    Tensor y = inside(scores.shape, ofType);
    pointwise(mode, x, &by, y, ofType, nullptr, /*axis=*/3);
    return y;
  };
  const auto select = [&](cudnnPointwiseMode_t mode, const Tensor &a,
                          const Tensor &b, const Tensor &from) {
    const Tensor seen = inside(scores.shape, CUDNN_DATA_BOOLEAN);
    pointwise(mode, a, &b, seen, CUDNN_DATA_BOOLEAN);
    Tensor y = inside(scores.shape);
    pointwise(CUDNN_POINTWISE_BINARY_SELECT, from, &hidden, y, CUDNN_DATA_FLOAT,
              &seen);
    return y;
  };
  Tensor row = index(scores, 2), column = index(scores, 3);
  if (d.keys != d.queries) {
    row = moved(CUDNN_POINTWISE_ADD, row, constant(int32_t(d.keys)),
                CUDNN_DATA_INT32);
    row = moved(CUDNN_POINTWISE_SUB, row, constant(int32_t(d.queries)),
                CUDNN_DATA_INT32);
  }
  Tensor result = select(CUDNN_POINTWISE_CMP_GE, row, column, scores);
  if (d.window == 0)
    return result;
  row = index(result, 2);
  column =
      moved(CUDNN_POINTWISE_ADD, index(result, 3),
            constant(float(d.window - (d.keys - d.queries))), CUDNN_DATA_FLOAT);
  return select(CUDNN_POINTWISE_CMP_GT, column, row, result);
}

void AttentionGraph::forward() {
  const Tensor q = rows(Q, d.q, d.heads, d.queries),
               keys = transposed(K, d.k, d.keys),
               v = rows(V, d.v, d.key_heads, d.keys),
               out = rows(Out, d.out, d.heads, d.queries);
  const Tensor s = masked(scores(q, keys));
  const Shape ofRows = {d.at_once, d.heads, d.queries, 1};
  const Tensor max = inside(ofRows), sum = inside(ofRows);
  reduce(CUDNN_REDUCE_TENSOR_MAX, s, max);
  const Tensor less = pointwise(CUDNN_POINTWISE_SUB, s, &max),
               e = pointwise(CUDNN_POINTWISE_EXP, less);
  reduce(CUDNN_REDUCE_TENSOR_ADD, e, sum);
  if (d.lse.operand) {
    const Tensor log = pointwise(CUDNN_POINTWISE_LOG, sum);
    pointwise(CUDNN_POINTWISE_ADD, max, &log,
              statistic(Lse, {d.lse.batch, d.lse.head, d.lse.position, 1}));
  }
  const Tensor p = inside(s.shape, type);
  pointwise(CUDNN_POINTWISE_DIV, e, &sum, p);
  matmul(p, v, out);
}

void AttentionGraph::gradientOfKeys(const Tensor &a, const Tensor &b,
                                    const Tensor &result) {
  const Tensor turned = reshape(a, type);
  if (d.heads == d.key_heads)
    return matmul(turned, b, result);
  const Tensor all = inside({d.at_once, d.heads, d.keys, d.width}, type);
  matmul(turned, b, all);
  reduce(CUDNN_REDUCE_TENSOR_ADD, all, result);
}

void AttentionGraph::backward() {
  const Tensor q = rows(Q, d.q, d.heads, d.queries),
               keys = transposed(K, d.k, d.keys),
               values = transposed(V, d.v, d.keys),
               out = rows(Out, d.out, d.heads, d.queries),
               grad = rows(Grad, d.grad, d.heads, d.queries),
               dq = rows(DQ, d.dq, d.heads, d.queries),
               dk = rows(DK, d.dk, d.key_heads, d.keys),
               dv = rows(DV, d.dv, d.key_heads, d.keys),
               lse =
                   statistic(Lse, {d.lse.batch, d.lse.head, d.lse.position, 1}),
               sums = statistic(Sums, {d.heads * d.queries, d.queries, 1, 1}),
               one = constant(1.0f), scale = constant(float(d.scale));
  const Tensor ofPairs = pointwise(CUDNN_POINTWISE_MUL, grad, &out),
               ofRows = inside({d.at_once, d.heads, d.queries, 1});
  reduce(CUDNN_REDUCE_TENSOR_ADD, ofPairs, ofRows);
  pointwise(CUDNN_POINTWISE_MUL, ofRows, &one, sums);

  const Tensor less = pointwise(CUDNN_POINTWISE_SUB, scores(q, keys), &lse),
               p = pointwise(CUDNN_POINTWISE_EXP, masked(less));
  gradientOfKeys(p, grad, dv);

  const Tensor dp = inside(p.shape);
  matmul(grad, values, dp);
  const Tensor centered = pointwise(CUDNN_POINTWISE_SUB, dp, &sums),
               weighted = pointwise(CUDNN_POINTWISE_MUL, centered, &p),
               ds = pointwise(CUDNN_POINTWISE_MUL, weighted, &scale);
  gradientOfKeys(ds, q, dk);
  matmul(ds, reshape(keys, type), dq);
}
