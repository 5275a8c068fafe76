//===- MatmulPieces.cpp - Cuts products of odd sizes ----------------------===//
#include "runtime/device/cuda/MatmulPieces.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"

using namespace zrt;

namespace {

/// The elements of 16 bits that a GPU loads at once.  cuBLASLt multiplies
/// sizes that are no multiples of it at an eighth of the speed.
constexpr int64_t kVector16 = 8;
/// The least multiplications of a product that is cut: one that takes longer
/// than the launch of another.
constexpr double kLeastToCut = 1 << 29;

enum class Axis : uint8_t { M, N, K };

int64_t &sizeOf(zrt_matmul_desc &d, Axis axis) {
  return axis == Axis::M ? d.m : axis == Axis::N ? d.n : d.k;
}

/// Returns `d` with only the elements [begin, begin + size) of an axis.
zrt_matmul_desc pieceOf(zrt_matmul_desc d, Axis axis, int64_t begin,
                        int64_t size) {
  const auto skip = [&](zrt_operand &operand, int64_t elements) {
    operand.ref.offset += uint64_t(elements) * dtypeBytes(operand.dtype);
  };
  const int64_t lda = storedA(d).ld, ldb = storedB(d).ld, ldc = storedC(d).ld;
  if (axis != Axis::N)
    skip(d.a, begin * ((axis == Axis::M) == (d.trans_a != 0) ? 1 : lda));
  if (axis != Axis::M)
    skip(d.b, begin * ((axis == Axis::K) == (d.trans_b != 0) ? 1 : ldb));
  if (axis == Axis::N)
    skip(d.bias, begin);
  if (axis != Axis::K)
    skip(d.c, begin * (axis == Axis::N ? 1 : ldc));
  d.lda = lda;
  d.ldb = ldb;
  d.ldc = ldc;
  sizeOf(d, axis) = size;
  return d;
}

/// Returns true if `axis` is contiguous in an operand, and all operands in
/// which it is begin their rows at vectors.
bool isAlongVectors(const zrt_matmul_desc &d, Axis axis) {
  const auto isAligned = [](const StoredMatrix &matrix) {
    return matrix.ld % kVector16 == 0;
  };
  switch (axis) {
  case Axis::M:
    return d.trans_a && isAligned(storedA(d));
  case Axis::N:
    return isAligned(storedC(d)) && (d.trans_b || isAligned(storedB(d)));
  default:
    return (!d.trans_a || d.trans_b) && (d.trans_a || isAligned(storedA(d))) &&
           (!d.trans_b || isAligned(storedB(d)));
  }
}

} // namespace

std::vector<zrt_matmul_desc> zrt::cuda::piecesOf(const zrt_matmul_desc &d) {
  if (d.batch != 1 || dtypeBytes(d.a.dtype) != 2 ||
      double(d.m) * double(d.n) * double(d.k) < kLeastToCut)
    return {d};
  for (const Axis axis : {Axis::M, Axis::N, Axis::K}) {
    zrt_matmul_desc whole = d;
    const int64_t size = sizeOf(whole, axis),
                  most = size / kVector16 * kVector16;
    if (most == size || !isAlongVectors(d, axis))
      continue;
    whole = pieceOf(d, axis, 0, most);
    zrt_matmul_desc rest = pieceOf(d, axis, most, size - most);
    if (axis != Axis::K)
      return {whole, rest};
    // A sum of 16 bits is rounded twice.  That of a few products is small; old
    // values and a bias are not.
    if ((d.accumulate || d.has_bias) && dtypeBytes(d.c.dtype) == 2)
      continue;
    rest.has_bias = 0;
    whole.accumulate = 1;
    return {rest, whole};
  }
  return {d};
}

zrt::cuda::MatmulOperands zrt::cuda::operandsOf(const zrt_matmul_desc &piece,
                                                const zrt_matmul_desc &desc,
                                                const MatmulOperands &whole) {
  const auto within = [](CUdeviceptr address, const zrt_operand &of,
                         const zrt_operand &all) {
    return address + (of.ref.offset - all.ref.offset);
  };
  return {within(whole.a, piece.a, desc.a), within(whole.b, piece.b, desc.b),
          within(whole.bias, piece.bias, desc.bias),
          within(whole.c, piece.c, desc.c)};
}
