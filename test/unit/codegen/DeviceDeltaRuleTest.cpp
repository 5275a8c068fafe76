//===- DeviceDeltaRuleTest.cpp - The gated delta rule on a GPU ------------===//
//
// Compares the kernels on an emulated GPU with those of CPUs, bit for bit;
// DeltaRuleTest.cpp compares these with the recurrence.
//
//===----------------------------------------------------------------------===//
#include "EmulatedKernels.h"

#include "abi/zrt.h"
#include "numerics/DeltaRule.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <cstring>
#include <random>

using namespace zrt;

namespace {

using Reals = std::vector<float>;

struct RuleOnDevice {
  const char *what;
  int64_t batch, positions, keyHeads, heads, keyWidth, valueWidth;
  bool hasBeta = true;
  std::vector<int32_t> begins = {}; ///< of documents
  float gate = 0;                   ///< of each position; 0: random
  bool repeatsKeys = false;

  int64_t perHead() const { return heads / keyHeads; }
  size_t keys() const {
    return size_t(batch * positions * keyHeads * keyWidth);
  }
  size_t values() const {
    return size_t(batch * positions * heads * valueWidth);
  }
  size_t numbers() const { return size_t(batch * positions * heads); }
  size_t ofStates(int64_t rows) const {
    return size_t(batch * heads * deltaChunks(positions) * rows * valueWidth);
  }
  size_t states() const { return ofStates(keyWidth); }
  int64_t roomRows() const { return keyWidth + (hasBeta ? kDeltaChunk : 0); }
};

struct RuleOperands {
  Reals q, k, v, gates, beta, grad;
  std::vector<int32_t> starts;

  explicit RuleOperands(const RuleOnDevice &of) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    const auto fill = [&](Reals &to, size_t count, float factor) {
      to.resize(count);
      for (float &x : to)
        x = factor * normal(random);
    };
    const float unit = 1 / std::sqrt(float(of.keyWidth));
    fill(q, of.keys(), unit);
    fill(k, of.keys(), unit);
    if (of.repeatsKeys)
      for (size_t i = size_t(of.keyWidth); i < k.size(); ++i)
        k[i] = k[i % size_t(of.keyWidth)];
    fill(v, of.values(), 1);
    fill(grad, of.values(), 1);
    fill(gates, of.numbers(), 1);
    for (float &g : gates)
      g = of.gate != 0 ? of.gate : -std::abs(g) * 0.2f;
    if (of.hasBeta)
      fill(beta, of.numbers(), 1);
    for (float &b : beta)
      b = 1 / (1 + std::exp(-b));
    for (int64_t b = 0; b < of.batch && !of.begins.empty(); ++b) {
      int32_t start = 0;
      for (int32_t t = 0; t < of.positions; ++t) {
        for (int32_t begin : of.begins)
          start = begin + b == t ? t : start; // other places in each batch
        starts.push_back(start);
      }
    }
  }
};

struct RuleResults {
  Reals out, states, dq, dk, dv, dgates, dbeta, room;

  /// Results that nothing has written yet.
  explicit RuleResults(const RuleOnDevice &of)
      : out(of.values(), NAN), states(of.states(), NAN), dq(of.keys(), NAN),
        dk(of.keys(), NAN), dv(of.values(), NAN), dgates(of.numbers(), NAN),
        dbeta(of.hasBeta ? of.numbers() : 0, NAN),
        room(of.ofStates(of.roomRows()), NAN) {}
};

RuleResults onProcessors(const RuleOnDevice &of, const RuleOperands &x) {
  RuleResults r(of);
  const int64_t T = of.positions, K = of.keyWidth, V = of.valueWidth,
                H = of.heads, G = of.keyHeads, N = of.perHead(),
                states = deltaChunks(T) * K * V;
  const auto ofHead = [&](auto &all, int64_t b, int64_t h, int64_t heads,
                          int64_t width) {
    return all.empty() ? nullptr : all.data() + (b * T * heads + h) * width;
  };
  for (int64_t b = 0; b < of.batch; ++b) {
    const int32_t *starts =
        x.starts.empty() ? nullptr : &x.starts[size_t(b * T)];
    for (int64_t h = 0; h < H; ++h)
      zrt_gated_delta_rule(
          T, K, V, starts, ofHead(x.q, b, h / N, G, K), G * K,
          ofHead(x.k, b, h / N, G, K), G * K, ofHead(x.v, b, h, H, V), H * V,
          ofHead(x.gates, b, h, H, 1), H, ofHead(x.beta, b, h, H, 1), H,
          ofHead(r.out, b, h, H, V), H * V,
          &r.states[size_t((b * H + h) * states)]);
    for (int64_t g = 0; g < G; ++g)
      zrt_gated_delta_rule_backward(
          T, K, V, starts, N, ofHead(x.grad, b, g * N, H, V), H * V, V,
          ofHead(x.q, b, g, G, K), G * K, ofHead(x.k, b, g, G, K), G * K,
          ofHead(x.v, b, g * N, H, V), H * V, V,
          ofHead(x.gates, b, g * N, H, 1), H, 1, ofHead(x.beta, b, g * N, H, 1),
          H, 1, &r.states[size_t((b * H + g * N) * states)], states,
          ofHead(r.dq, b, g, G, K), G * K, ofHead(r.dk, b, g, G, K), G * K,
          ofHead(r.dv, b, g * N, H, V), H * V, V,
          ofHead(r.dgates, b, g * N, H, 1), H, 1,
          ofHead(r.dbeta, b, g * N, H, 1), H, 1);
  }
  std::fill(r.room.begin(), r.room.end(), 0.0f);
  return r;
}

std::string planOfRule(const RuleOnDevice &of) {
  const auto tensor = [](std::initializer_list<int64_t> shape,
                         const char *type = "f32") {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + type + ">";
  };
  const int64_t B = of.batch, T = of.positions, K = of.keyWidth,
                V = of.valueWidth, H = of.heads, chunks = deltaChunks(T);
  const std::string q = tensor({B, T, of.keyHeads, K}),
                    v = tensor({B, T, H, V}), g = tensor({B, T, H}),
                    s = tensor({B, H, chunks, K, V}),
                    m = tensor({B, H, chunks, of.roomRows(), V}),
                    i = tensor({B, T}, "i32");
  const std::string beta = of.hasBeta ? " beta %b" : "",
                    ofBeta = of.hasBeta ? ", " + g : "",
                    from = of.begins.empty() ? "" : " from %i",
                    ofFrom = of.begins.empty() ? "" : " from " + i;
  const auto list = [&](std::vector<std::array<std::string, 2>> all, bool names,
                        bool types, const char *mark = "") {
    if (of.hasBeta)
      all.push_back({"%b", g});
    if (!of.begins.empty())
      all.push_back({"%i", i});
    std::string text;
    for (const auto &[name, type] : all)
      text += (text.empty() ? "" : ", ") + (names ? name : "") +
              (names && types ? ": " : "") + (types ? type : "") + mark;
    return text;
  };
  const std::vector<std::array<std::string, 2>> forward = {
      {"%q", q}, {"%k", q}, {"%v", v}, {"%g", g}};
  auto backward = forward;
  backward.insert(backward.begin(), {"%d", v});
  backward.push_back({"%s", s});
  const std::string units = " units attention [" + std::to_string(B) + ", ",
                    results =
                        q + ", " + q + ", " + v + ", " + g + ofBeta + ", " + m;
  return "zero.kernel @forward(" + list(forward, true, true) + ") -> (" + v +
         ", " + s + ")" + units + std::to_string(H) +
         "] {\n%o, %s = nn.gated_delta_rule %q, %k, %v gates %g" + beta + from +
         " : " + q + ", " + v + ", " + g + ofBeta + ofFrom + " stats " + s +
         "\nzero.return %o, %s : " + v + ", " + s +
         "\n}\nzero.kernel @backward(" + list(backward, true, true) + ") -> (" +
         results + ")" + units + std::to_string(of.keyHeads) +
         "] {\n%r:" + (of.hasBeta ? "6" : "5") +
         " = nn.gated_delta_rule_backward %d, %q, %k, %v gates %g states %s" +
         beta + from + " : " + q + ", " + v + ", " + g + ", " + s + ofBeta +
         ofFrom + (of.hasBeta ? " to " + g : "") + " room " + m +
         "\nzero.return " +
         (of.hasBeta ? "%r#0, %r#1, %r#2, %r#3, %r#4, %r#5"
                     : "%r#0, %r#1, %r#2, %r#3, %r#4") +
         " : " + results + "\n}\nzero.axis @dp size 1\nzero.program @step(" +
         list(backward, true, true, " {zero.input = \"x\"}") +
         ") {\n%f:2 = zero.launch @forward(" + list(forward, true, false) +
         ") : (" + list(forward, false, true) + ") -> (" + v + ", " + s +
         ")\n%r:" + (of.hasBeta ? "6" : "5") + " = zero.launch @backward(" +
         list(backward, true, false) + ") : (" + list(backward, false, true) +
         ") -> (" + results + ")\nzero.return\n}";
}

void expectBitsOfRule(const char *what, const Reals &got, const Reals &want) {
  ASSERT_EQ(got.size(), want.size());
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(float)) != 0 && wrong++ == 0)
      ADD_FAILURE() << what << "[" << i << "] is " << got[i] << ", not "
                    << want[i];
  EXPECT_EQ(wrong, 0u) << what << " of " << got.size();
}

void compare(const RuleOnDevice &of) {
  SCOPED_TRACE(of.what);
  EmulatedKernels device(planOfRule(of));
  const RuleOperands x(of);
  const RuleResults want = onProcessors(of, x);
  RuleResults got(of);
  std::vector<EmulatedKernels::Operand> inputs = {
      device.read(x.q), device.read(x.k), device.read(x.v),
      device.read(x.gates)};
  std::vector<EmulatedKernels::Operand> optional;
  if (of.hasBeta)
    optional.push_back(device.read(x.beta));
  if (!of.begins.empty())
    optional.push_back(device.read(x.starts));
  auto forward = inputs;
  forward.insert(forward.end(), optional.begin(), optional.end());
  forward.push_back(device.write(got.out));
  forward.push_back(device.write(got.states));
  int64_t units = of.batch * of.heads;
  ASSERT_EQ(device.launch("forward", forward, units, units), "");
  expectBitsOfRule("out", got.out, want.out);
  expectBitsOfRule("states", got.states, want.states);

  std::vector<EmulatedKernels::Operand> backward = {device.read(x.grad)};
  backward.insert(backward.end(), inputs.begin(), inputs.end());
  backward.push_back(device.read(want.states));
  backward.insert(backward.end(), optional.begin(), optional.end());
  for (Reals *result : {&got.dq, &got.dk, &got.dv, &got.dgates})
    backward.push_back(device.write(*result));
  if (of.hasBeta)
    backward.push_back(device.write(got.dbeta));
  backward.push_back(device.write(got.room));
  units = of.batch * of.keyHeads;
  ASSERT_EQ(device.launch("backward", backward, units, units), "");
  expectBitsOfRule("dq", got.dq, want.dq);
  expectBitsOfRule("dk", got.dk, want.dk);
  expectBitsOfRule("dv", got.dv, want.dv);
  expectBitsOfRule("dgates", got.dgates, want.dgates);
  expectBitsOfRule("dbeta", got.dbeta, want.dbeta);
  expectBitsOfRule("room", got.room, want.room);
}

/// The bits are those of processors with FMA.
class DeviceDeltaRule : public testing::Test {
  void SetUp() override {
    if (instructionSet() == InstructionSet::Portable)
      GTEST_SKIP() << "this processor has no FMA";
  }
};

TEST_F(DeviceDeltaRule, HasTheBitsOfProcessors) {
  compare({"one position", 1, 1, 1, 1, 8, 16});
  compare({"a chunk and some, of groups", 2, 70, 2, 4, 8, 16});
  compare({"whole chunks", 1, 128, 1, 2, 32, 64});
  compare({"odd widths", 1, 66, 1, 3, 17, 5});
  compare({"another odd width", 1, 67, 1, 1, 3, 20});
}

TEST_F(DeviceDeltaRule, HasTheBitsOfWideHeads) {
  compare({"Qwen 3.5", 1, 65, 1, 2, 128, 128});
  compare({"the widest", 1, 64, 1, 1, 256, 256});
  compare({"wide keys", 1, 64, 1, 1, 192, 32});
  compare({"wide values", 1, 64, 1, 1, 32, 256});
}

TEST_F(DeviceDeltaRule, HasTheBitsWithoutBeta) {
  compare({"Mamba-2", 1, 130, 2, 4, 16, 32, /*hasBeta=*/false});
  compare({"with documents", 1, 130, 1, 1, 5, 7, /*hasBeta=*/false, {3, 64}});
}

TEST_F(DeviceDeltaRule, HasTheBitsOfDocuments) {
  compare({"in and at chunks",
           2,
           150,
           1,
           2,
           16,
           16,
           true,
           {1, 2, 30, 63, 64, 100, 148}});
  compare({"of one position each",
           1,
           70,
           1,
           1,
           8,
           8,
           true,
           {1, 2, 3, 4, 5, 6, 7, 8, 64, 65, 66, 67, 68, 69}});
}

TEST_F(DeviceDeltaRule, HasTheBitsOfStrongGatesAndRepeatedKeys) {
  compare({"strong gates", 1, 100, 1, 2, 16, 16, true, {}, -300});
  compare({"gates that round to 0", 1, 70, 1, 1, 8, 8, true, {}, -104});
  compare({"weak gates", 1, 130, 1, 1, 16, 16, true, {}, -1e-9f});
  compare({"repeated keys", 1, 100, 1, 2, 16, 16, true, {}, -0.01f, true});
}

} // namespace
