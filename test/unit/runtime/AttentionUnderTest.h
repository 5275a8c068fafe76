//===- AttentionUnderTest.h - Attention, and its definition -----*- C++ -*-===//
#ifndef TEST_UNIT_RUNTIME_ATTENTIONUNDERTEST_H
#define TEST_UNIT_RUNTIME_ATTENTIONUNDERTEST_H

#include "runtime/device/cpu/attention/Targets.h"

#include "TileAttention.h"
#include "abi/zrt.h"
#include "runtime/device/cpu/gemm/CpuFeatures.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/device/cpu/gemm/Gemm16.h"
#include "runtime/device/cpu/gemm/Scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace zrt::test {

/// The sizes and options of a problem.
struct Ask {
  int64_t queries, keys, width, heads;
  int64_t window = 0;
  float softCap = 0;
  bool documents = false, causal = true;
  bool drops = false;
};

/// The arguments of dropout.
inline constexpr int64_t kDropoutKey = 12345, kDropoutPlace = 6;
inline constexpr double kDropoutRate = 0.2;

inline void PrintTo(const Ask &ask, std::ostream *out) {
  *out << ask.queries << " queries of " << ask.heads << " heads, " << ask.keys
       << " keys, width " << ask.width << ", window " << ask.window << ", cap "
       << ask.softCap << (ask.documents ? ", documents" : "")
       << (ask.causal ? "" : ", not causal") << (ask.drops ? ", dropout" : "");
}

inline double numberOf(float x) { return double(x); }
template <typename T>
double numberOf(T x) {
  return double(widen(x));
}

/// Initial value of the gaps between rows of results, which must not change.
template <typename T>
constexpr T untouched() {
  if constexpr (std::is_same_v<T, float>)
    return -12345;
  else
    return T{0x1234};
}

/// The rows of a tensor inside of a buffer.
struct Part {
  int64_t first, stride;
  size_t at(int64_t row, int64_t column) const {
    return size_t(first + row * stride + column);
  }
};

/// One batch and one head of keys.  The query heads lie beside each other in
/// rows, with a gap.  Keys and values follow in the same rows, as in a model,
/// or lie after all queries without gaps.  T is the type of all tensors.
template <typename T>
struct Problem {
  Ask ask;
  float scale;
  Part q, k, v, grad;
  std::vector<T> qkv, grads;
  std::vector<float> delta; ///< of one head after the other; any numbers
  std::vector<int32_t> starts;
  Dropout dropout;

  Problem(const Ask &ask, bool packed)
      : ask(ask), scale(0.7f / std::sqrt(float(ask.width))),
        dropout(kDropoutKey, kDropoutPlace, kDropoutRate) {
    const int64_t w = ask.width, ofHeads = ask.heads * w;
    int64_t size = 0;
    if (packed) {
      const int64_t stride = ofHeads + 2 * w + 1;
      q = {0, stride}, k = {ofHeads, stride}, v = {ofHeads + w, stride};
      size = std::max(ask.queries, ask.keys) * stride;
    } else {
      q = {0, ofHeads + 3};
      k = {ask.queries * q.stride, w};
      v = {k.first + ask.keys * w, w};
      size = v.first + ask.keys * w;
    }
    grad = q;
    std::mt19937 random(unsigned(ask.queries + 7 * ask.keys + 31 * w));
    std::normal_distribution<float> value;
    const auto fill = [&](std::vector<T> &to, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        narrow(value(random), to.emplace_back());
    };
    fill(qkv, size);
    fill(grads, ask.queries * grad.stride);
    // Documents of 1 to 40 positions; some begin after the query itself.
    int64_t start = 0, next = 0;
    for (int64_t i = 0; i < ask.queries; ++i) {
      if (i == next) {
        start = i + ask.keys - ask.queries;
        next = i + 1 + int64_t(random() % 40);
      }
      starts.push_back(int32_t(random() % 50 == 0 ? start + 100 : start));
    }
    for (int64_t i = 0; i < ask.heads * ask.queries; ++i)
      delta.push_back(value(random));
  }

  AttentionShape shape(int64_t head = 0) const {
    return {ask.queries,
            ask.keys,
            ask.width,
            scale,
            ask.causal,
            ask.window,
            ask.softCap,
            ask.documents ? starts.data() : nullptr,
            ask.drops ? &dropout : nullptr,
            head};
  }

  /// The factor of the probability of key `j` in query `i` of a head.
  double factor(int64_t head, int64_t i, int64_t j) const {
    if (!ask.drops)
      return 1;
    const int64_t element = (head * ask.queries + i) * ask.keys + j;
    return dropout.keeps(uint32_t(element)) ? double(dropout.factor) : 0;
  }
};

template <typename T>
struct Results {
  std::vector<T> out, dqkv; ///< gradients of out, and of q, k and v
  std::vector<float> lse;   ///< of one head after the other

  bool sameBits(const Results &other) const {
    const auto same = [](const auto &x, const auto &y) {
      return std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    return same(out, other.out) && same(dqkv, other.dqkv) &&
           same(lse, other.lse);
  }
};

template <typename T>
struct Target {
  const char *name;
  void (*attend)(const AttentionOf<T> &, float *);
  void (*attendBackward)(const AttentionBackwardOf<T> &, float *);
  /// Null for the functions that kernels call.
  void (*attendFew)(const FewAttentionOf<T> &, float *) = nullptr;
};

/// Returns all implementations that run on this processor.
template <typename T>
std::vector<Target<T>> targets() {
  std::vector<Target<T>> all = {{"portable", portable::attend,
                                 portable::attendBackward,
                                 portable::attendFew}};
#ifdef __x86_64__
  const InstructionSet best = instructionSet();
  if (best != InstructionSet::Portable)
    all.push_back(
        {"avx2", avx2::attend, avx2::attendBackward, avx2::attendFew});
  if (best == InstructionSet::Avx512)
    all.push_back(
        {"avx512", avx512::attend, avx512::attendBackward, avx512::attendFew});
#endif
  return all;
}

/// Returns those whose products have operands of T.  They have orders of their
/// own.
template <typename T>
std::vector<Target<T>> pairTargets();
template <>
inline std::vector<Target<Brain>> pairTargets() {
  std::vector<Target<Brain>> all;
  if (instructionSet() != InstructionSet::Portable)
    all.push_back({"a model of AMX", tile_attention::attend,
                   tile_attention::attendBackward});
#ifdef __x86_64__
  const std::set<std::string> flags = cpuFlags();
  if (instructionSet() == InstructionSet::Avx512 &&
      hasFeature(flags, "avx512bf16")) {
    all.push_back(
        {"AVX512_BF16", avx512bf16::attend, avx512bf16::attendBackward});
    if (hasFeature(flags, "amx-tile") && hasFeature(flags, "amx-bf16")) {
      enable(Kernel16::AmxBrains, ZRT_BF16);
      all.push_back({"AMX", amx::attend, amx::attendBackward});
    }
  }
#endif
  return all;
}
template <>
inline std::vector<Target<Half>> pairTargets() {
  std::vector<Target<Half>> all;
  if (instructionSet() != InstructionSet::Portable)
    all.push_back({"a model of AMX-FP16", tile_attention_fp16::attend,
                   tile_attention_fp16::attendBackward});
#ifdef __x86_64__
  const std::set<std::string> flags = cpuFlags();
  if (instructionSet() == InstructionSet::Avx512 &&
      hasFeature(flags, "amx-tile") && hasFeature(flags, "amx-fp16")) {
    enable(Kernel16::AmxBoth, ZRT_F16);
    all.push_back({"AMX-FP16", amxfp16::attend, amxfp16::attendBackward});
  }
#endif
  return all;
}

/// Returns the functions that kernels call.
template <typename T, int32_t kProducts = 0>
Target<T> kernelCalls() {
  static constexpr zrt_dtype kType = std::is_same_v<T, Brain>  ? ZRT_BF16
                                     : std::is_same_v<T, Half> ? ZRT_F16
                                                               : ZRT_F32;
  return {"zrt_attention",
          [](const AttentionOf<T> &a, float *) {
            const AttentionShape &s = a.shape;
            zrt_attention(s.queries, s.keys, s.width, s.scale, s.softCap,
                          s.causal, s.window, s.starts,
                          s.dropout ? &kDropoutKey : nullptr, kDropoutPlace,
                          kDropoutRate, s.head, kType, kProducts, a.q.at,
                          a.q.stride, a.k.at, a.k.stride, a.v.at, a.v.stride,
                          a.out.at, a.out.stride, a.lse);
          },
          [](const AttentionBackwardOf<T> &a, float *) {
            const AttentionShape &s = a.shape;
            zrt_attention_backward(
                s.queries, s.keys, s.width, s.scale, s.softCap, s.causal,
                s.window, s.starts, s.dropout ? &kDropoutKey : nullptr,
                kDropoutPlace, kDropoutRate, s.head, kType, kProducts,
                a.heads.count, a.grad.at, a.grad.stride, a.heads.grad, a.q.at,
                a.q.stride, a.heads.q, a.k.at, a.k.stride, a.v.at, a.v.stride,
                a.lse, a.delta, a.heads.stats, a.dq.at, a.dq.stride, a.heads.dq,
                a.dk.at, a.dk.stride, a.dv.at, a.dv.stride);
          }};
}

/// Returns scratch memory filled with NaNs: its old contents must not matter.
inline float *poisoned() {
  float *memory = scratch();
  std::memset(memory, 0xff, kScratchBytes);
  return memory;
}

template <typename T>
Results<T> run(const Problem<T> &p, const Target<T> &target) {
  const Ask &ask = p.ask;
  const int64_t w = ask.width;
  Results<T> r{
      std::vector<T>(p.grads.size(), untouched<T>()),
      std::vector<T>(p.qkv.size(), untouched<T>()),
      std::vector<float>(size_t(ask.heads * ask.queries), untouched<float>())};
  const auto rows = [](auto &buffer, const Part &part, int64_t head = 0) {
    return Rows<std::remove_pointer_t<decltype(buffer.data())>>{
        buffer.data() + part.first + head, part.stride};
  };
  for (int64_t h = 0; h < ask.heads; ++h)
    target.attend({p.shape(h), rows(p.qkv, p.q, h * w), rows(p.qkv, p.k),
                   rows(p.qkv, p.v), rows(r.out, p.grad, h * w),
                   r.lse.data() + h * ask.queries},
                  poisoned());
  target.attendBackward({p.shape(),
                         rows(p.grads, p.grad),
                         rows(p.qkv, p.q),
                         rows(p.qkv, p.k),
                         rows(p.qkv, p.v),
                         r.lse.data(),
                         p.delta.data(),
                         rows(r.dqkv, p.q),
                         rows(r.dqkv, p.k),
                         rows(r.dqkv, p.v),
                         {ask.heads, w, w, ask.queries, w}},
                        poisoned());
  return r;
}

/// The definition, in double; NAN marks elements that must not be written.
template <typename T>
struct Expected {
  std::vector<double> out, dqkv, lse;
  /// The sums of the magnitudes of what is added, for each element.
  std::vector<double> outTerms, dqkvTerms;

  explicit Expected(const Problem<T> &p)
      : out(p.grads.size(), NAN), dqkv(p.qkv.size(), NAN),
        lse(size_t(p.ask.heads * p.ask.queries)), outTerms(out.size()),
        dqkvTerms(dqkv.size()) {
    const Ask &ask = p.ask;
    const auto clear = [](std::vector<double> &of, const Part &part,
                          int64_t rows, int64_t columns) {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t c = 0; c < columns; ++c)
          of[part.at(i, c)] = 0;
    };
    clear(out, p.grad, ask.queries, ask.heads * ask.width);
    clear(dqkv, p.q, ask.queries, ask.heads * ask.width);
    clear(dqkv, p.k, ask.keys, ask.width);
    clear(dqkv, p.v, ask.keys, ask.width);
    for (int64_t h = 0; h < ask.heads; ++h)
      for (int64_t i = 0; i < ask.queries; ++i)
        add(p, h, i);
  }

private:
  static bool sees(const Problem<T> &p, int64_t i, int64_t j) {
    const Ask &ask = p.ask;
    const int64_t last = i + ask.keys - ask.queries;
    if (!ask.causal)
      return true;
    const int64_t start = std::min<int64_t>(p.starts[size_t(i)], last);
    return j <= last && (ask.window == 0 || j > last - ask.window) &&
           (!ask.documents || j >= start);
  }

  void add(const Problem<T> &p, int64_t h, int64_t i) {
    const int64_t width = p.ask.width;
    const double scale = double(p.scale), cap = double(p.ask.softCap);
    std::vector<int64_t> seen;
    for (int64_t j = 0; j < p.ask.keys; ++j)
      if (sees(p, i, j))
        seen.push_back(j);
    const auto q = [&](int64_t c) { return p.q.at(i, h * width + c); };
    const auto value = [&](size_t at) { return numberOf(p.qkv[at]); };
    std::vector<double> probability, slope, adjoint;
    double most = -INFINITY, sum = 0;
    for (int64_t j : seen) {
      double x = 0;
      for (int64_t c = 0; c < width; ++c)
        x += scale * value(q(c)) * value(p.k.at(j, c));
      const double part = cap > 0 ? std::tanh(x / cap) : 0;
      probability.push_back(cap > 0 ? cap * part : x);
      slope.push_back(1 - part * part);
      most = std::max(most, probability.back());
    }
    for (double &x : probability)
      sum += x = std::exp(x - most);
    lse[size_t(h * p.ask.queries + i)] = most + std::log(sum);
    for (size_t n = 0; n < seen.size(); ++n) {
      const double x = probability[n] /= sum;
      double d = 0;
      for (int64_t c = 0; c < width; ++c) {
        const size_t of = p.grad.at(i, h * width + c), v = p.v.at(seen[n], c);
        const double factor = p.factor(h, i, seen[n]);
        out[of] += factor * x * value(v);
        outTerms[of] += std::fabs(factor * x * value(v));
        dqkvTerms[v] += std::fabs(factor * x * numberOf(p.grads[of]));
        d += factor * numberOf(p.grads[of]) * value(v);
        dqkv[v] += factor * x * numberOf(p.grads[of]);
      }
      adjoint.push_back(d - double(p.delta[size_t(h * p.ask.queries + i)]));
    }
    for (size_t n = 0; n < seen.size(); ++n) {
      const double d = scale * probability[n] * adjoint[n] * slope[n];
      for (int64_t c = 0; c < width; ++c) {
        const size_t k = p.k.at(seen[n], c);
        dqkv[q(c)] += d * value(k);
        dqkv[k] += d * value(q(c));
        dqkvTerms[q(c)] += std::fabs(d * value(k));
        dqkvTerms[k] += std::fabs(d * value(q(c)));
      }
    }
  }
};

/// Compares with the tolerance `absolute`, plus half of `part`, a unit in the
/// last place.
template <typename T>
::testing::AssertionResult near(const std::vector<T> &x,
                                const std::vector<double> &y, double absolute,
                                double part) {
  for (size_t i = 0; i < x.size(); ++i)
    if (const double expected =
            std::isnan(y[i]) ? numberOf(untouched<T>()) : y[i],
        most = std::isnan(y[i]) ? 0 : absolute + part * std::abs(expected) / 2;
        !(std::abs(numberOf(x[i]) - expected) <= most))
      return ::testing::AssertionFailure()
             << "at " << i << " of " << x.size() << ": " << numberOf(x[i])
             << " instead of " << expected;
  return ::testing::AssertionSuccess();
}

/// Compares what products with operands of T compute: rounding P and dS changes
/// an element by up to half a unit (2^-8 for bf16, 2^-11 for f16) of its terms,
/// the result by half a unit in the last place, and sums in f32 by up to 2^-14
/// of the terms.
template <typename T>
::testing::AssertionResult nearTerms(const std::vector<T> &x,
                                     const std::vector<double> &y,
                                     const std::vector<double> &terms) {
  constexpr double kHalfUnit = std::is_same_v<T, Brain> ? 0x1p-8 : 0x1p-11;
  for (size_t i = 0; i < x.size(); ++i)
    if (const double expected =
            std::isnan(y[i]) ? numberOf(untouched<T>()) : y[i],
        most = std::isnan(y[i]) ? 0
                                : (kHalfUnit + 0x1p-14) * terms[i] +
                                      kHalfUnit * std::abs(expected) + 1e-5;
        !(std::abs(numberOf(x[i]) - expected) <= most))
      return ::testing::AssertionFailure()
             << "at " << i << " of " << x.size() << ": " << numberOf(x[i])
             << " instead of " << expected << ", within " << most;
  return ::testing::AssertionSuccess();
}

/// Expects that all pair targets compute `p` within their bounds.
template <typename T>
void expectPairsNear(const Problem<T> &p) {
  const Expected<T> expected(p);
  for (const Target<T> &target : pairTargets<T>()) {
    SCOPED_TRACE(target.name);
    SCOPED_TRACE(::testing::PrintToString(p.ask));
    const Results<T> found = run(p, target);
    EXPECT_TRUE(nearTerms(found.out, expected.out, expected.outTerms));
    EXPECT_TRUE(nearTerms(found.dqkv, expected.dqkv, expected.dqkvTerms));
    EXPECT_TRUE(near(found.lse, expected.lse, 2e-5, 0));
  }
}

template <typename T>
void expectNear(const Results<T> &found, const Expected<T> &expected,
                double absolute, double part) {
  EXPECT_TRUE(near(found.out, expected.out, absolute, part));
  EXPECT_TRUE(near(found.dqkv, expected.dqkv, absolute, part));
  EXPECT_TRUE(near(found.lse, expected.lse, absolute, 0));
}

} // namespace zrt::test

#endif // TEST_UNIT_RUNTIME_ATTENTIONUNDERTEST_H
