//===- RankedSum.h - Sums in rank order -------------------------*- C++ -*-===//
#ifndef ZRT_TRANSPORT_RANKED_SUM_H
#define ZRT_TRANSPORT_RANKED_SUM_H

#include <cstddef>

namespace zrt {

/// result[i] = scale * (sources[0][i] + sources[1][i] + ...), added in this
/// order and each operation rounded to f32; with `accumulate` the old result[i]
/// is added last.  `result` may be one of the sources.
void rankedSum(const float *const *sources, size_t sourceCount, size_t count,
               float scale, bool accumulate, float *result);

} // namespace zrt

#endif // ZRT_TRANSPORT_RANKED_SUM_H
