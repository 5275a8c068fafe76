//===- Matmul.cpp - Matmuls -----------------------------------------------===//
//
// f32: C is divided into a grid with as many cells as there are threads, and
// each thread computes one cell (runtime/device/cpu/gemm).  The grid does not
// change the bits.
//
//          n
//      +-----+-----+      each thread copies its cell's rows of A and columns
//    m |  0  |  1  |      of B, so nearly square cells copy least; rows cost
//      +-----+-----+      more, since A is copied in advance, but a B that is
//      |  2  |  3  |      not transposed is copied by its first tiles; few rows
//      +-----+-----+      are not divided, so that B is read once
//
// bf16 and f16: the same, with a kernel that depends on the features that the
// plan was compiled for (Gemm16.h).
//
// f64, for tests and reference runs: plain loops in a fixed order.
//
// A packed B is dequantized a strip of its rows at a time, which stays in the
// second-level cache: memory gives 4 or 8 bits an element, once.  A product of
// few rows adds in the same order for any division of its columns.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/Matmul.h"

#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/device/cpu/gemm/Scratch.h"
#include "runtime/device/cpu/gemm/Targets.h"
#include "runtime/packing/Unpack.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"

#include <algorithm>
#include <cstddef>

using namespace zrt;

namespace {

int64_t divideUp(int64_t x, int64_t y) { return (x + y - 1) / y; }

/// The costs of f32 products, fitted to cells of GPT-2's products with operands
/// in memory.
Costs costsOfFloats() { return {gemmUnits(), 27, 27, 5, 11}; }

/// The division of one product's C among threads.
struct Grid {
  int64_t down = 1, across = 1;
  int64_t rows = 0, columns = 0; ///< of a cell; fewer at the edges

  Grid(const zrt_matmul_desc &d, int64_t cells, const Costs &costs) {
    const GemmUnits &units = costs.units;
    double best = 0;
    const int64_t mostDown = d.m <= kFewRows ? 1 : cells;
    for (int64_t tryDown = 1; tryDown <= mostDown; ++tryDown) {
      const int64_t tryAcross = cells / tryDown;
      const int64_t r = cellSize(d.m, tryDown, units.rows),
                    c = cellSize(d.n, tryAcross, units.columns);
      const double cost =
          double(r) * double(c) +
          (d.trans_a ? costs.transposedA : costs.a) * double(r) +
          (d.trans_b ? costs.transposedB : costs.b) * double(c);
      if (rows != 0 && cost >= best)
        continue;
      best = cost;
      rows = r;
      columns = c;
    }
    down = divideUp(d.m, rows);
    across = divideUp(d.n, columns);
  }

  static int64_t cellSize(int64_t size, int64_t cells, int64_t unit) {
    return divideUp(divideUp(size, unit), cells) * unit;
  }
};

/// A part of one matmul: C[row.., column..].
struct Cell {
  int64_t batch, row, column, rows, columns;
  int64_t columnOfB; ///< column, or that of a strip of B
};

/// Returns cell `i` of the grids of all products of the batch.
Cell cellAt(const zrt_matmul_desc &d, const Grid &grid, int64_t i) {
  const int64_t cells = grid.down * grid.across;
  Cell cell;
  cell.batch = i / cells;
  cell.row = i % cells / grid.across * grid.rows;
  cell.column = i % cells % grid.across * grid.columns;
  cell.rows = std::min(grid.rows, d.m - cell.row);
  cell.columns = std::min(grid.columns, d.n - cell.column);
  cell.columnOfB = cell.column;
  return cell;
}

void compute(const zrt_matmul_desc &d, const Cell &cell, const float *a,
             const float *b, const float *bias, float *c) {
  Gemm g;
  g.transA = d.trans_a;
  g.transB = d.trans_b;
  g.m = cell.rows;
  g.n = cell.columns;
  g.k = d.k;
  g.alpha = float(d.scale);
  g.beta = d.accumulate ? 1 : 0;
  g.lda = storedA(d).ld;
  g.ldb = storedB(d).ld;
  g.ldc = storedC(d).ld;
  g.a = a + cell.batch * d.m * d.k + cell.row * (d.trans_a ? 1 : g.lda);
  g.b = b + cell.batch * d.k * d.n + cell.columnOfB * (d.trans_b ? g.ldb : 1);
  g.c = c + cell.batch * d.m * d.n + cell.row * g.ldc + cell.column;
  g.bias = d.has_bias ? bias + cell.column : nullptr;
  multiply(g, scratch());
}

/// The same for 16-bit operands.
void compute(const zrt_matmul_desc &d, const Cell &cell, const std::byte *a,
             const std::byte *b, const std::byte *bias, std::byte *c,
             Kernel16 kernel) {
  Gemm16 g;
  g.transA = d.trans_a;
  g.transB = d.trans_b;
  g.scale = float(d.scale);
  g.accumulate = d.accumulate;
  g.m = cell.rows;
  g.n = cell.columns;
  g.k = d.k;
  g.lda = storedA(d).ld;
  g.ldb = storedB(d).ld;
  g.ldc = storedC(d).ld;
  g.type = d.a.dtype;
  g.biasType = d.bias.dtype;
  g.cType = d.c.dtype;
  const auto at = [](auto *base, int64_t element, zrt_dtype type) {
    return base + uint64_t(element) * dtypeBytes(type);
  };
  g.a = reinterpret_cast<const uint16_t *>(a) + cell.batch * d.m * d.k +
        cell.row * (d.trans_a ? 1 : g.lda);
  g.b = reinterpret_cast<const uint16_t *>(b) + cell.batch * d.k * d.n +
        cell.columnOfB * (d.trans_b ? g.ldb : 1);
  g.c = at(c, cell.batch * d.m * d.n + cell.row * g.ldc + cell.column, g.cType);
  g.bias = d.has_bias ? at(bias, cell.column, g.biasType) : nullptr;
  multiply(g, kernel, scratch());
}

void compute(const zrt_matmul_desc &d, const Cell &cell, const double *a,
             const double *b, const double *bias, double *c) {
  const int64_t lda = storedA(d).ld, ldb = storedB(d).ld, ldc = storedC(d).ld;
  a += cell.batch * d.m * d.k;
  b += cell.batch * d.k * d.n;
  c += cell.batch * d.m * d.n;
  for (int64_t i = cell.row; i < cell.row + cell.rows; ++i) {
    double *row = c + i * ldc;
    for (int64_t j = cell.column; j < cell.column + cell.columns; ++j)
      row[j] = (d.accumulate ? row[j] : 0) + (d.has_bias ? bias[j] : 0);
    for (int64_t p = 0; p < d.k; ++p) {
      const double x = d.scale * (d.trans_a ? a[p * lda + i] : a[i * lda + p]);
      for (int64_t j = cell.column; j < cell.column + cell.columns; ++j)
        row[j] += x * (d.trans_b ? b[j * ldb + p] : b[p * ldb + j]);
    }
  }
}

/// The bytes of a strip; more if that is less than kLeastStrip rows.
constexpr int64_t kStripBytes = 128 << 10, kLeastStrip = 16;
/// The part of a thread's scratch memory that products of few rows leave free,
/// in floats: from behind their f32 results (Gemm16.cpp) and few partial sums
/// (AmxLoops.inc) on, up to the bias.
constexpr int64_t kFreeFrom = (1 << 18) + (1 << 14),
                  kFreeTo = (kGemmColumns + kRoundedRows) * kGemmDepth +
                            kRoundedRows * kRoundedColumns;
static_assert((kGemmColumns + kRoundedRows) * kGemmDepth +
                  kFewRows * kRoundedColumns <=
              kFreeFrom);
static_assert(ZRT_PACKED_ROWS == kFewRows &&
              kLeastStrip * ZRT_PACKED_DEPTH <= kFreeTo - kFreeFrom);

/// Calls compute(part, strip) for parts of a cell with the elements of their
/// strips of a packed B of which `b` is the bytes.
template <typename Compute>
void overStrips(const zrt_matmul_desc &d, const Cell &cell, const void *b,
                Compute compute) {
  const auto size = int64_t(dtypeBytes(d.a.dtype));
  const int64_t fitting = kStripBytes / (d.k * size) / kLeastStrip,
                rows = std::max<int64_t>(fitting, 1) * kLeastStrip;
  float *const strip = scratch() + kFreeFrom;
  for (int64_t at = 0; at < cell.columns; at += rows) {
    Cell part = cell;
    part.column += at;
    part.columns = std::min(rows, cell.columns - at);
    part.columnOfB = 0;
    const auto block = [&](int64_t row) {
      return uint64_t(row * (d.k / ZRT_PACKED_BLOCK));
    };
    unpack(d.packing, static_cast<const std::byte *>(b), uint64_t(d.n * d.k),
           block(part.column), block(part.column + part.columns), d.a.dtype,
           strip);
    compute(part, strip);
  }
}

/// Calls compute(cell) for the cells of all batches, on the threads of `team`.
template <typename Compute>
void overCells(const zrt_matmul_desc &d, const Costs &costs, Team &team,
               Compute compute) {
  const double work = double(d.batch) * double(d.m) * double(d.n) * double(d.k);
  const int threads = teamFor(work, team);
  const Grid grid(d, std::max<int64_t>(threads / d.batch, 1), costs);
  const int64_t cells = grid.down * grid.across;
  const auto computeCells = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      compute(cellAt(d, grid, i));
  };
  team.parallelFor(d.batch * cells, computeCells, threads);
}

/// Calls overCells(costs, compute) with a function that computes cells of d's
/// type.
template <typename OverCells>
void byType(const zrt_matmul_desc &d, const void *a, const void *b,
            const void *bias, void *c, Kernel16 kernel, OverCells overCells) {
  const auto as = [&](auto element, const Costs &costs, auto... how) {
    using T = decltype(element);
    const auto computeWith = [&](const Cell &cell, const void *theB) {
      compute(d, cell, static_cast<const T *>(a), static_cast<const T *>(theB),
              static_cast<const T *>(bias), static_cast<T *>(c), how...);
    };
    overCells(costs, [&](const Cell &cell) {
      if (d.packing == ZRT_UNPACKED)
        computeWith(cell, b);
      else
        overStrips(d, cell, b, computeWith);
    });
  };
  if (d.a.dtype == ZRT_F32)
    as(float(), costsOfFloats());
  else if (d.a.dtype == ZRT_F64)
    as(double(), costsOfFloats());
  else
    as(std::byte(), costsOf(kernel, d.a.dtype), kernel);
}

} // namespace

void zrt::runMatmul(const zrt_matmul_desc &d, const void *a, const void *b,
                    const void *bias, void *c, Team &team, Kernel16 kernel) {
  if (d.batch == 0 || d.m == 0 || d.n == 0)
    return;
  byType(d, a, b, bias, c, kernel, [&](const Costs &costs, auto compute) {
    overCells(d, costs, team, compute);
  });
}

void zrt::runPartOfMatmul(const zrt_matmul_desc &d, const void *a,
                          const void *b, void *c, int part, int parts,
                          Kernel16 kernel) {
  if (d.m == 0 || d.n == 0)
    return;
  byType(d, a, b, nullptr, c, kernel, [&](const Costs &costs, auto compute) {
    const Grid grid(d, parts, costs);
    // The grid has no more cells than there are parts.
    if (part < grid.down * grid.across)
      compute(cellAt(d, grid, part));
  });
}
