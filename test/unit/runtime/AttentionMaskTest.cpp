//===- AttentionMaskTest.cpp - Grouped heads, windows, caps, documents ----===//
#include "runtime/device/cpu/attention/Targets.h"

#include "runtime/device/cpu/Scratch.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/zrt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

using namespace zrt;

namespace {

/// What is asked for.
struct Ask {
  int64_t queries, keys, width, heads;
  int64_t window = 0;
  float softCap = 0;
  bool documents = false, causal = true;
};

void PrintTo(const Ask &ask, std::ostream *out) {
  *out << ask.queries << " queries of " << ask.heads << " heads, " << ask.keys
       << " keys, width " << ask.width << ", window " << ask.window << ", cap "
       << ask.softCap << (ask.documents ? ", documents" : "")
       << (ask.causal ? "" : ", not causal");
}

/// Query heads lie beside each other in rows, with a gap; T is their type.
template <typename T>
struct Data {
  Ask ask;
  int64_t stride;
  float scale;
  std::vector<T> q, k, v, grad;
  std::vector<int32_t> starts;

  explicit Data(const Ask &ask)
      : ask(ask), stride(ask.heads * ask.width + 3),
        scale(0.7f / std::sqrt(float(ask.width))) {
    std::mt19937 random(unsigned(ask.queries + 7 * ask.keys + 31 * ask.width));
    std::normal_distribution<float> value;
    const auto fill = [&](std::vector<T> &to, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        if constexpr (std::is_same_v<T, float>)
          to.push_back(value(random));
        else
          narrow(value(random), to.emplace_back());
    };
    fill(q, ask.queries * stride);
    fill(grad, ask.queries * stride);
    fill(k, ask.keys * ask.width);
    fill(v, ask.keys * ask.width);
    // Documents of 1 to 40 positions; some begin beyond the query itself.
    int64_t start = 0, next = 0;
    for (int64_t i = 0; i < ask.queries; ++i) {
      if (i == next) {
        start = i + ask.keys - ask.queries;
        next = i + 1 + int64_t(random() % 40);
      }
      starts.push_back(int32_t(random() % 50 == 0 ? start + 100 : start));
    }
  }

  AttentionShape shape() const {
    return {ask.queries, ask.keys,
            ask.width,   scale,
            ask.causal,  ask.window,
            ask.softCap, ask.documents ? starts.data() : nullptr};
  }
  /// In this order: the first of a head, the next head, the next row.
  size_t at(int64_t head, int64_t i, int64_t c) const {
    return size_t(i * stride + head * ask.width + c);
  }
};

template <typename T>
struct Results {
  std::vector<T> out, dq, dk, dv;
  std::vector<float> lse;
  bool operator==(const Results &) const = default;
};

template <typename T>
using Attend = void (*)(const AttentionOf<T> &, float *);
template <typename T>
using AttendBackward = void (*)(const AttentionBackwardOf<T> &, float *);

float *poisoned() {
  float *memory = scratch();
  std::memset(memory, 0xff, kScratchBytes);
  return memory;
}

template <typename T>
Results<T> run(const Data<T> &d, Attend<T> attend, AttendBackward<T> backward) {
  const Ask &ask = d.ask;
  const int64_t s = d.stride, w = ask.width;
  Results<T> r{std::vector<T>(d.q.size()), std::vector<T>(d.q.size()),
               std::vector<T>(d.k.size()), std::vector<T>(d.k.size()),
               std::vector<float>(size_t(ask.heads * ask.queries))};
  for (int64_t h = 0; h < ask.heads; ++h)
    attend({d.shape(),
            {d.q.data() + h * w, s},
            {d.k.data(), w},
            {d.v.data(), w},
            {r.out.data() + h * w, s},
            r.lse.data() + h * ask.queries},
           poisoned());
  backward({d.shape(),
            {d.grad.data(), s},
            {d.q.data(), s},
            {d.k.data(), w},
            {d.v.data(), w},
            r.lse.data(),
            {r.dq.data(), s},
            {r.dk.data(), w},
            {r.dv.data(), w},
            {ask.heads, w, w, ask.queries, w}},
           poisoned());
  return r;
}

struct Target {
  const char *name;
  Attend<float> attend;
  AttendBackward<float> backward;
};

std::vector<Target> targets() {
  std::vector<Target> all = {
      {"portable", portable::attend, portable::attendBackward}};
#ifdef __x86_64__
  const InstructionSet best = instructionSet();
  if (best != InstructionSet::Portable)
    all.push_back({"avx2", avx2::attend, avx2::attendBackward});
  if (best == InstructionSet::Avx512)
    all.push_back({"avx512", avx512::attend, avx512::attendBackward});
#endif
  return all;
}

double numberOf(float x) { return double(x); }
template <typename T>
double numberOf(T x) {
  return double(widen(x));
}

/// The definition, in double.
template <typename T>
struct Expected {
  std::vector<double> out, dq, dk, dv, lse;

  explicit Expected(const Data<T> &d)
      : out(d.q.size()), dq(d.q.size()), dk(d.k.size()), dv(d.k.size()),
        lse(size_t(d.ask.heads * d.ask.queries)) {
    for (int64_t h = 0; h < d.ask.heads; ++h)
      for (int64_t i = 0; i < d.ask.queries; ++i)
        add(d, h, i);
  }

private:
  static bool sees(const Data<T> &d, int64_t i, int64_t j) {
    const int64_t last = i + d.ask.keys - d.ask.queries;
    if (!d.ask.causal)
      return true;
    const int64_t start = std::min<int64_t>(d.starts[size_t(i)], last);
    return j <= last && (d.ask.window == 0 || j > last - d.ask.window) &&
           (!d.ask.documents || j >= start);
  }

  void add(const Data<T> &d, int64_t h, int64_t i) {
    const int64_t width = d.ask.width, keys = d.ask.keys;
    const auto key = [&](int64_t j, int64_t c) {
      return size_t(j * width + c);
    };
    std::vector<double> p(size_t(keys), 0), slope(size_t(keys), 1), dp = p;
    double most = -INFINITY, sum = 0, dot = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double x = 0;
      for (int64_t c = 0; c < width; ++c)
        x += double(d.scale) * numberOf(d.q[d.at(h, i, c)]) *
             numberOf(d.k[key(j, c)]);
      if (d.ask.softCap > 0) {
        const double cap = double(d.ask.softCap), part = std::tanh(x / cap);
        x = cap * part;
        slope[size_t(j)] = 1 - part * part;
      }
      p[size_t(j)] = sees(d, i, j) ? x : -INFINITY;
      most = std::max(most, p[size_t(j)]);
    }
    for (double &x : p)
      sum += x = std::exp(x - most);
    lse[size_t(h * d.ask.queries + i)] = most + std::log(sum);
    for (int64_t j = 0; j < keys; ++j) {
      p[size_t(j)] /= sum;
      for (int64_t c = 0; c < width; ++c) {
        const double grad = numberOf(d.grad[d.at(h, i, c)]);
        out[d.at(h, i, c)] += p[size_t(j)] * numberOf(d.v[key(j, c)]);
        dp[size_t(j)] += grad * numberOf(d.v[key(j, c)]);
        dv[key(j, c)] += p[size_t(j)] * grad;
      }
      dot += p[size_t(j)] * dp[size_t(j)];
    }
    for (int64_t j = 0; j < keys; ++j) {
      const double ds = double(d.scale) * p[size_t(j)] * (dp[size_t(j)] - dot) *
                        slope[size_t(j)];
      for (int64_t c = 0; c < width; ++c) {
        dq[d.at(h, i, c)] += ds * numberOf(d.k[key(j, c)]);
        dk[key(j, c)] += ds * numberOf(d.q[d.at(h, i, c)]);
      }
    }
  }
};

/// To half of `part`, a unit of the last place, beside what sums may be off.
template <typename T>
::testing::AssertionResult near(const std::vector<T> &x,
                                const std::vector<double> &y, double part) {
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(numberOf(x[i]) - y[i]) <= 2e-5 + part * std::abs(y[i]) / 2))
      return ::testing::AssertionFailure()
             << "at " << i << " of " << x.size() << ": " << numberOf(x[i])
             << " instead of " << y[i];
  return ::testing::AssertionSuccess();
}

template <typename T>
void expectNear(const Results<T> &found, const Expected<T> &expected,
                double part) {
  EXPECT_TRUE(near(found.out, expected.out, part));
  EXPECT_TRUE(near(found.dq, expected.dq, part));
  EXPECT_TRUE(near(found.dk, expected.dk, part));
  EXPECT_TRUE(near(found.dv, expected.dv, part));
  EXPECT_TRUE(near(found.lse, expected.lse, 0));
}

class AttentionMask : public ::testing::TestWithParam<Ask> {};

TEST_P(AttentionMask, IsRight) {
  const Data<float> data(GetParam());
  const Expected<float> expected(data);
  for (const Target &target : targets()) {
    SCOPED_TRACE(target.name);
    expectNear(run(data, target.attend, target.backward), expected, 0);
  }
}

TEST_P(AttentionMask, HasTheSameBitsOnAllProcessorsWithFma) {
  const Data<float> data(GetParam());
  const std::vector<Target> all = targets();
  for (size_t i = 2; i < all.size(); ++i)
    EXPECT_EQ(run(data, all[1].attend, all[1].backward),
              run(data, all[i].attend, all[i].backward));
}

/// Of what kernels call.
template <typename T>
void expectRoundedOnce(const Ask &ask, double part) {
  static constexpr zrt_dtype kType =
      std::is_same_v<T, Brain> ? ZRT_BF16 : ZRT_F16;
  const Attend<T> attend = [](const AttentionOf<T> &a, float *) {
    const AttentionShape &s = a.shape;
    zrt_attention(s.queries, s.keys, s.width, s.scale, s.softCap, s.causal,
                  s.window, s.starts, kType, a.q.at, a.q.stride, a.k.at,
                  a.k.stride, a.v.at, a.v.stride, a.out.at, a.out.stride,
                  a.lse);
  };
  const AttendBackward<T> backward = [](const AttentionBackwardOf<T> &a,
                                        float *) {
    const AttentionShape &s = a.shape;
    zrt_attention_backward(
        s.queries, s.keys, s.width, s.scale, s.softCap, s.causal, s.window,
        s.starts, kType, a.heads.count, a.grad.at, a.grad.stride, a.heads.grad,
        a.q.at, a.q.stride, a.heads.q, a.k.at, a.k.stride, a.v.at, a.v.stride,
        a.lse, a.heads.lse, a.dq.at, a.dq.stride, a.heads.dq, a.dk.at,
        a.dk.stride, a.dv.at, a.dv.stride);
  };
  const Data<T> data(ask);
  expectNear(run<T>(data, attend, backward), Expected<T>(data), part);
}

TEST_P(AttentionMask, Of16BitsRoundsOnce) {
  expectRoundedOnce<Brain>(GetParam(), 0x1p-7);
  expectRoundedOnce<Half>(GetParam(), 0x1p-10);
}

std::vector<Ask> asks() {
  std::vector<Ask> all;
  for (int64_t queries : {1, 50, 130, 300})
    for (int64_t heads : {1, 3})
      for (int64_t window : {0, 1, 33, 170})
        for (float cap : {0.0f, 0.8f})
          for (bool documents : {false, true})
            all.push_back({queries, queries + (heads == 3 ? 40 : 0), 20, heads,
                           window, cap, documents});
  all.push_back({70, 90, 24, 2, 0, 0.5f, false, false});
  // Keys that come in blocks.
  for (int64_t window : {0, 100, 2000})
    for (bool documents : {false, true}) {
      all.push_back({150, 3000, 64, 2, window, 0, documents});
      all.push_back({130, 170, 768, 2, window, 0.8f, documents});
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionMask, ::testing::ValuesIn(asks()));

} // namespace
