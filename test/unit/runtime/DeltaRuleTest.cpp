//===- DeltaRuleTest.cpp - The gated delta rule against its recurrence --===//
#include "DeltaRuleUnderTest.h"

#include "abi/zrt.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "runtime/device/cpu/gemm/Scratch.h"

using namespace zrt;
using namespace zrt::test;

namespace {

struct Gradients {
  std::vector<double> out, dq, dk, dv, dgate, dbeta;
};

/// The recurrence and its derivative, position by position, in double.
Gradients followPositions(const Operands &x) {
  const auto &[T, K, V, H, hasBeta, begins, gate, repeats] = x.of;
  Gradients r;
  r.out.resize(size_t(T * H * V));
  r.dq.resize(size_t(T * K));
  r.dk.resize(size_t(T * K));
  r.dv.resize(size_t(T * H * V));
  r.dgate.resize(size_t(T * H));
  r.dbeta.resize(size_t(T * H));
  for (int64_t h = 0; h < H; ++h) {
    std::vector<std::vector<double>> states = {
        std::vector<double>(size_t(K * V))};
    std::vector<std::vector<double>> us, misses;
    const auto decay = [&](int64_t t) {
      const bool isFirst = !x.starts.empty() && x.starts[size_t(t)] == t;
      return isFirst ? 0.0 : std::exp(double(x.gate[size_t(t * H + h)]));
    };
    const auto q = [&](int64_t t, int64_t i) { return x.q[size_t(t * K + i)]; };
    const auto k = [&](int64_t t, int64_t i) { return x.k[size_t(t * K + i)]; };
    const auto at = [&](int64_t t, int64_t c) {
      return size_t((t * H + h) * V + c);
    };
    for (int64_t t = 0; t < T; ++t) {
      std::vector<double> s = states.back(), u(static_cast<size_t>(V)),
                          miss(static_cast<size_t>(V));
      for (double &one : s)
        one *= decay(t);
      for (int64_t c = 0; c < V; ++c) {
        miss[size_t(c)] = x.v[at(t, c)];
        for (int64_t i = 0; hasBeta && i < K; ++i)
          miss[size_t(c)] -= s[size_t(i * V + c)] * k(t, i);
        u[size_t(c)] =
            miss[size_t(c)] * (hasBeta ? x.beta[size_t(t * H + h)] : 1);
      }
      for (int64_t i = 0; i < K; ++i)
        for (int64_t c = 0; c < V; ++c) {
          s[size_t(i * V + c)] += k(t, i) * u[size_t(c)];
          r.out[at(t, c)] += s[size_t(i * V + c)] * q(t, i);
        }
      states.push_back(s);
      us.push_back(u);
      misses.push_back(miss);
    }
    std::vector<double> ds(size_t(K * V));
    for (int64_t t = T - 1; t >= 0; --t) {
      const std::vector<double> &after = states[size_t(t + 1)],
                                &before = states[size_t(t)], &u = us[size_t(t)];
      std::vector<double> du(static_cast<size_t>(V));
      for (int64_t i = 0; i < K; ++i)
        for (int64_t c = 0; c < V; ++c) {
          const auto e = size_t(i * V + c);
          r.dq[size_t(t * K + i)] += after[e] * x.grad[at(t, c)];
          ds[e] += q(t, i) * x.grad[at(t, c)];
          r.dk[size_t(t * K + i)] += ds[e] * u[size_t(c)];
          du[size_t(c)] += ds[e] * k(t, i);
        }
      for (int64_t c = 0; c < V; ++c) {
        const double b = hasBeta ? x.beta[size_t(t * H + h)] : 1;
        r.dbeta[size_t(t * H + h)] +=
            du[size_t(c)] * misses[size_t(t)][size_t(c)];
        r.dv[at(t, c)] = b * du[size_t(c)];
        for (int64_t i = 0; hasBeta && i < K; ++i) {
          const auto e = size_t(i * V + c);
          r.dk[size_t(t * K + i)] -= decay(t) * before[e] * b * du[size_t(c)];
          ds[e] -= k(t, i) * b * du[size_t(c)];
        }
      }
      for (size_t e = 0; e < ds.size(); ++e) {
        r.dgate[size_t(t * H + h)] += decay(t) * ds[e] * before[e];
        ds[e] *= decay(t);
      }
    }
  }
  return r;
}

/// Largest difference, in units of the largest element.
template <typename T>
double differ(const std::vector<T> &got, const std::vector<double> &want) {
  double most = 0, largest = 1e-30;
  for (size_t i = 0; i < want.size(); ++i) {
    most = std::max(most, std::abs(double(got[i]) - want[i]));
    largest = std::max(largest, std::abs(want[i]));
    if (!std::isfinite(double(got[i])))
      return INFINITY;
  }
  return most / largest;
}

using Forward = void (*)(const DeltaRule &, Rows<float>, float *, float *);
using Backward = void (*)(const DeltaRuleBackward &, float *);
struct Compiled {
  Forward forward;
  Backward backward;
};

struct Floats {
  std::vector<float> out, dq, dk, dv, dgate, dbeta;
};

Floats compute(const Operands &x, Compiled by) {
  const auto &[T, K, V, H, hasBeta, begins, gate, repeats] = x.of;
  const int64_t chunks = (T + 63) / 64;
  Floats r;
  // What is not written shows.
  r.out.assign(size_t(T * H * V), NAN);
  r.dq.assign(size_t(T * K), NAN);
  r.dk = r.dq;
  r.dv = r.out;
  r.dgate.assign(size_t(T * H), NAN);
  r.dbeta.assign(size_t(T * H), hasBeta ? NAN : 0);
  std::vector<float> states(size_t(H * chunks * K * V), NAN);
  for (int64_t h = 0; h < H; ++h)
    by.forward(x.rule(h), {r.out.data() + h * V, H * V},
               states.data() + h * chunks * K * V, scratch());
  by.backward({x.rule(),
               {x.grad.data(), H * V},
               states.data(),
               {r.dq.data(), K},
               {r.dk.data(), K},
               {r.dv.data(), H * V},
               {r.dgate.data(), H},
               {r.dbeta.data(), H},
               {H, V, V, 1, 1, chunks * K * V, V, 1, 1}},
              scratch());
  return r;
}

const Compiled kPortable = {portable::applyDeltaRule,
                            portable::applyDeltaRuleBackward};

void check(const RuleCase &of, double tolerance) {
  const Operands operands(of);
  const Gradients want = followPositions(operands);
  const Floats got = compute(operands, kPortable);
  EXPECT_LE(differ(got.out, want.out), tolerance) << "out";
  EXPECT_LE(differ(got.dq, want.dq), tolerance) << "dq";
  EXPECT_LE(differ(got.dk, want.dk), tolerance) << "dk";
  EXPECT_LE(differ(got.dv, want.dv), tolerance) << "dv";
  EXPECT_LE(differ(got.dgate, want.dgate), tolerance) << "dgate";
  if (of.hasBeta) {
    EXPECT_LE(differ(got.dbeta, want.dbeta), tolerance) << "dbeta";
  }
}

TEST(DeltaRule, IsTheRecurrence) {
  for (int64_t positions : {1, 5, 63, 64, 65, 150})
    for (bool hasBeta : {true, false}) {
      SCOPED_TRACE(positions);
      check({positions, 12, 20, 2, hasBeta}, 2e-6);
    }
  check({200, 128, 128, 3}, 2e-6);
  check({100, 1, 1, 1}, 2e-6);
  check({70, 256, 32, 1}, 2e-6);
}

TEST(DeltaRule, ForgetsOtherDocuments) {
  for (bool hasBeta : {true, false})
    check({200, 16, 16, 2, hasBeta, {0, 3, 64, 100, 101, 127, 128, 190}}, 2e-6);
}

TEST(DeltaRule, HoldsStrongGates) {
  check({150, 16, 16, 2, true, {}, -300}, 2e-6);
  check({150, 16, 16, 2, true, {}, -5}, 2e-6);
  check({150, 16, 16, 2, false, {0, 70}, -20}, 2e-6);
}

TEST(DeltaRule, HoldsRepeatedKeys) {
  check({150, 16, 16, 1, true, {}, -1e-4f, true}, 1e-5);
}

TEST(DeltaRule, HasTheBitsOfAllVectorWidths) {
#ifdef __x86_64__
  if (instructionSet() != InstructionSet::Avx512)
    GTEST_SKIP() << "needs AVX-512";
  const Operands operands({150, 40, 24, 3, true, {0, 70}});
  const Floats wide = compute(operands, {avx512::applyDeltaRule,
                                         avx512::applyDeltaRuleBackward}),
               narrow = compute(operands, {avx2::applyDeltaRule,
                                           avx2::applyDeltaRuleBackward});
  EXPECT_EQ(wide.out, narrow.out);
  EXPECT_EQ(wide.dq, narrow.dq);
  EXPECT_EQ(wide.dk, narrow.dk);
  EXPECT_EQ(wide.dv, narrow.dv);
  EXPECT_EQ(wide.dgate, narrow.dgate);
  EXPECT_EQ(wide.dbeta, narrow.dbeta);
#endif
}

TEST(DeltaRule, PackedDocumentsAreThoseAlone) {
  const Operands both({130, 16, 24, 2, true, {0, 64}});
  const Floats whole = compute(both, kPortable);
  Operands second = both;
  second.of.positions = 66;
  second.starts.clear();
  for (auto *of : {&second.q, &second.k})
    of->erase(of->begin(), of->begin() + 64 * 16);
  for (auto *of : {&second.v, &second.grad})
    of->erase(of->begin(), of->begin() + 64 * 2 * 24);
  for (auto *of : {&second.gate, &second.beta})
    of->erase(of->begin(), of->begin() + 64 * 2);
  const Floats alone = compute(second, kPortable);
  EXPECT_EQ(
      std::vector<float>(whole.out.begin() + 64 * 2 * 24, whole.out.end()),
      alone.out);
  EXPECT_EQ(std::vector<float>(whole.dk.begin() + 64 * 16, whole.dk.end()),
            alone.dk);
}

} // namespace
