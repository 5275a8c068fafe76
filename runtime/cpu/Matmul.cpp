//===- Matmul.cpp - Matrix products ---------------------------------------===//
//
// oneDNN splits a product over threads as it likes, k included, so the sums it
// makes may depend on the number of threads.  We cut C into tiles whose size
// depends on the shape alone and let each thread compute whole tiles with a
// single-threaded dnnl_sgemm:
//
//          n
//      +----+----+----+      tiles are dealt out in runs of neighbours;
//    m | t0 | t1 | t2 |      bias and beta are applied tile by tile, while
//      +----+----+----+      the tile is in cache
//      | t3 | t4 | t5 |
//      +----+----+----+
//
// f64 is for tests and reference runs: plain loops in a fixed order.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Matmul.h"

#include "runtime/Error.h"
#include "runtime/cpu/Parallel.h"

#include <algorithm>
#include <atomic>
#include <oneapi/dnnl/dnnl.h>

using namespace zrt;

namespace {

/// A tile must be large enough to pay for packing its strips of A and B, and
/// tiles numerous enough to keep cores busy.  256 x 512 is within 5 % of
/// oneDNN's own threading on two cores.
constexpr int64_t kTileRows = 256, kTileColumns = 512;
constexpr int64_t kSmallestRows = 64, kSmallestColumns = 128;
constexpr int64_t kEnoughTiles = 16;
/// Below this many multiply-adds a parallel region costs more than it saves.
constexpr double kWorthATeam = 1 << 18;

/// How C is cut; a function of the shape alone.
struct Tiling {
  int64_t rows = kTileRows, columns = kTileColumns;
  int64_t down = 0, across = 0;

  explicit Tiling(const zrt_matmul_desc &d) {
    count(d);
    while (d.batch * down * across < kEnoughTiles &&
           (rows > kSmallestRows || columns > kSmallestColumns)) {
      if (columns / kSmallestColumns >= rows / kSmallestRows)
        columns /= 2;
      else
        rows /= 2;
      count(d);
    }
  }
  void count(const zrt_matmul_desc &d) {
    down = (d.m + rows - 1) / rows;
    across = (d.n + columns - 1) / columns;
  }
};

/// The part of one matrix product that one tile is: C[row.., column..].
struct Tile {
  int64_t batch, row, column, rows, columns;
};

template <typename T>
void startTile(const zrt_matmul_desc &d, const Tile &t, const T *bias, T *c) {
  if (!d.has_bias && (d.accumulate || d.k > 0) && d.dtype == ZRT_F32)
    return; // dnnl_sgemm starts C itself.
  for (int64_t i = 0; i < t.rows; ++i, c += d.n)
    for (int64_t j = 0; j < t.columns; ++j) {
      const T start = d.accumulate ? c[j] : T(0);
      c[j] = d.has_bias ? start + bias[t.column + j] : start;
    }
}

dnnl_status_t multiplyTile(const zrt_matmul_desc &d, const Tile &t,
                           const float *a, const float *b, float *c) {
  if (d.k == 0)
    return dnnl_success;
  const float *ta = d.trans_a ? a + t.row : a + t.row * d.k;
  const float *tb = d.trans_b ? b + t.column * d.k : b + t.column;
  const float beta = d.has_bias || d.accumulate ? 1.0f : 0.0f;
  return dnnl_sgemm(d.trans_a ? 'T' : 'N', d.trans_b ? 'T' : 'N', t.rows,
                    t.columns, d.k, /*alpha=*/1.0f, ta, d.trans_a ? d.m : d.k,
                    tb, d.trans_b ? d.k : d.n, beta, c, d.n);
}

dnnl_status_t multiplyTile(const zrt_matmul_desc &d, const Tile &t,
                           const double *a, const double *b, double *c) {
  for (int64_t i = 0; i < t.rows; ++i, c += d.n)
    for (int64_t p = 0; p < d.k; ++p) {
      const int64_t row = t.row + i;
      const double x = d.trans_a ? a[p * d.m + row] : a[row * d.k + p];
      const double *y =
          d.trans_b ? b + t.column * d.k + p : b + p * d.n + t.column;
      const int64_t stride = d.trans_b ? d.k : 1;
      for (int64_t j = 0; j < t.columns; ++j)
        c[j] += x * y[j * stride];
    }
  return dnnl_success;
}

template <typename T>
void run(const zrt_matmul_desc &d, const T *a, const T *b, const T *bias, T *c,
         int threads) {
  const Tiling tiling(d);
  const double work = double(d.batch) * double(d.m) * double(d.n) * double(d.k);
  if (work < kWorthATeam)
    threads = 1;
  std::atomic<int> failure{dnnl_success};
  const int64_t tiles = d.batch * tiling.down * tiling.across;
  parallelFor(threads, tiles, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t within = tile % (tiling.down * tiling.across);
      Tile t;
      t.batch = tile / (tiling.down * tiling.across);
      t.row = within / tiling.across * tiling.rows;
      t.column = within % tiling.across * tiling.columns;
      t.rows = std::min(tiling.rows, d.m - t.row);
      t.columns = std::min(tiling.columns, d.n - t.column);
      T *target = c + t.batch * d.m * d.n + t.row * d.n + t.column;
      startTile(d, t, bias, target);
      const dnnl_status_t status = multiplyTile(
          d, t, a + t.batch * d.m * d.k, b + t.batch * d.k * d.n, target);
      if (status != dnnl_success)
        failure = status;
    }
  });
  if (failure != dnnl_success)
    fail("{}: dnnl_sgemm failed on a {} x {} x {} product (oneDNN status {}{})",
         d.name ? d.name : "matmul", d.m, d.n, d.k, failure.load(),
         failure == dnnl_out_of_memory ? ", out of memory" : "");
}

void checkMatrix(const zrt_matmul_desc &d, const char *what, const zrt_ref &ref,
                 int64_t batch, int64_t rows, int64_t columns, int64_t size) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(batch, rows, &bytes) ||
      __builtin_mul_overflow(bytes, columns, &bytes) ||
      __builtin_mul_overflow(bytes, size, &bytes) ||
      static_cast<uint64_t>(bytes) > ref.bytes)
    fail("{}: {} is {} x {} x {} of {} bytes, but its range holds {} bytes",
         d.name ? d.name : "matmul", what, batch, rows, columns, size,
         ref.bytes);
}

std::atomic<int> tileFailure{dnnl_success};

} // namespace

void zrt::checkMatmul(const zrt_matmul_desc &d) {
  const char *name = d.name ? d.name : "matmul";
  if (d.dtype != ZRT_F32 && d.dtype != ZRT_F64)
    fail("{}: a matmul is f32 or f64, got dtype {}", name, d.dtype);
  if (d.batch < 0 || d.m < 0 || d.n < 0 || d.k < 0)
    fail("{}: negative size: batch {}, m {}, n {}, k {}", name, d.batch, d.m,
         d.n, d.k);
  const int64_t size = d.dtype == ZRT_F32 ? 4 : 8;
  checkMatrix(d, "A", d.a, d.batch, d.m, d.k, size);
  checkMatrix(d, "B", d.b, d.batch, d.k, d.n, size);
  checkMatrix(d, "C", d.c, d.batch, d.m, d.n, size);
  if (d.has_bias)
    checkMatrix(d, "the bias", d.bias, 1, 1, d.n, size);
}

void zrt::runMatmul(const zrt_matmul_desc &d, const void *a, const void *b,
                    const void *bias, void *c, int threads) {
  if (d.batch == 0 || d.m == 0 || d.n == 0)
    return;
  if (d.dtype == ZRT_F32)
    run(d, static_cast<const float *>(a), static_cast<const float *>(b),
        static_cast<const float *>(bias), static_cast<float *>(c), threads);
  else
    run(d, static_cast<const double *>(a), static_cast<const double *>(b),
        static_cast<const double *>(bias), static_cast<double *>(c), threads);
}

int zrt::takeTileFailure() {
  if (tileFailure.load(std::memory_order_relaxed) == dnnl_success)
    return dnnl_success; // the usual case, without a locked instruction
  return tileFailure.exchange(dnnl_success);
}

extern "C" void zrt_sgemm_tile(int32_t trans_a, int32_t trans_b, int64_t m,
                               int64_t n, int64_t k, float alpha,
                               const float *a, int64_t lda, const float *b,
                               int64_t ldb, float beta, float *c, int64_t ldc) {
  if (m <= 0 || n <= 0)
    return;
  if (k <= 0) {
    // oneDNN leaves C alone then; the definition scales it.
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        c[i * ldc + j] = beta == 0.0f ? 0.0f : beta * c[i * ldc + j];
    return;
  }
  const auto multiply = [&] {
    return dnnl_sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', m, n, k, alpha,
                      a, lda, b, ldb, beta, c, ldc);
  };
  dnnl_status_t status = dnnl_success;
  if (insideParallel()) {
    status = multiply();
  } else {
    SingleThreadedLibrary single;
    status = multiply();
  }
  if (status != dnnl_success)
    tileFailure = status;
}
