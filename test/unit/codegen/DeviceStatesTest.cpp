//===- DeviceStatesTest.cpp - Kept states on a GPU ------------------------===//
//
// Sequences are fed to the kernels on an emulated GPU in runs of any length,
// and to those of CPUs, and results and all that is kept are compared, bit for
// bit; CachedDeltaRuleTest.cpp and CachedCausalConvTest.cpp compare these with
// the whole.
//
//===----------------------------------------------------------------------===//
#include "EmulatedKernels.h"

#include "abi/zrt.h"
#include "numerics/DeltaRule.h"
#include "runtime/device/cpu/gemm/Gemm.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace zrt;

namespace {

using Reals = std::vector<float>;
using Integers = std::vector<int32_t>;

std::string typeOf(std::initializer_list<int64_t> shape,
                   const char *element = "f32") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// An operand or result of a kernel: its name and its type.
struct Named {
  std::string name, type;
};

std::string list(const std::vector<Named> &all, bool names, bool types) {
  std::string text;
  for (const Named &one : all)
    text += (text.empty() ? "" : ", ") + (names ? one.name : "") +
            (names && types ? ": " : "") + (types ? one.type : "");
  return text;
}

/// A plan that launches the kernel @kernel with `body`, `results` of which from
/// the second on replace the operands from number `replaced` on.
std::string planOfKernel(const std::vector<Named> &operands,
                         const std::vector<Named> &results, size_t replaced,
                         const std::string &units, const std::string &body) {
  std::string typesOfResults, inputs;
  for (size_t i = 0; i < results.size(); ++i)
    typesOfResults +=
        (i ? ", " : "") + results[i].type +
        (i ? " {zero.must_alias = " + std::to_string(replaced + i - 1) +
                 " : i64}"
           : "");
  for (const Named &one : operands)
    inputs += (inputs.empty() ? "" : ", ") + one.name + ": " + one.type +
              " {zero.input = \"x\"}";
  return "zero.kernel @kernel(" + list(operands, true, true) + ") -> (" +
         typesOfResults + ") units attention [" + units + "] {\n" + body +
         "\nzero.return " + list(results, true, false) + " : " +
         list(results, false, true) +
         "\n}\nzero.axis @dp size 1\nzero.program @step(" + inputs +
         ") {\n%f:" + std::to_string(results.size()) +
         " = zero.launch @kernel(" + list(operands, true, false) + ") : (" +
         list(operands, false, true) + ") -> (" + list(results, false, true) +
         ")\nzero.return\n}";
}

class Random {
public:
  Reals reals(int64_t count, float factor = 1) {
    Reals all(static_cast<size_t>(count));
    for (float &one : all)
      one = factor * normal(engine);
    return all;
  }
  int64_t below(int64_t count) { return int64_t(engine()) % count; }

private:
  std::mt19937 engine{11};
  std::normal_distribution<float> normal;
};

void expectBitsOfRun(const char *what, const float *got, const float *want,
                     int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(float)) != 0) {
      ADD_FAILURE() << what << "[" << i << "] of " << count << " is " << got[i]
                    << ", not " << want[i];
      return;
    }
}

/// Where each of the slots is, and what its next run is.
struct Runs {
  Integers begin, count, starts;
  int64_t length; ///< of a launch

  Runs(int64_t slots, int64_t aLength)
      : begin(size_t(slots), 0), count(begin), starts(begin), length(aLength) {}

  /// Goes on, back within the open chunk, or to a new sequence; some slots have
  /// nothing to do.
  void next(Random &random) {
    for (size_t s = 0; s < begin.size(); ++s) {
      begin[s] += count[s];
      const int64_t kind = random.below(8);
      if (kind == 0)
        begin[s] = 0;
      if (kind == 1)
        begin[s] -= int32_t(random.below(begin[s] % kDeltaChunk + 1));
      if (kind == 0 || random.below(5) == 0)
        starts[s] = begin[s];
      if (starts[s] > begin[s])
        starts[s] = 0;
      count[s] = int32_t(kind == 2 ? 0 : 1 + random.below(length));
    }
  }
};

struct StatesOnDevice {
  const char *what;
  int64_t slots, length, keyHeads, heads, keyWidth, valueWidth;
  bool hasBeta = true, hasStarts = false;
  float gate = 0; ///< of each position; 0: random
};

/// What is kept of all slots; NaNs at first.
struct KeptStates {
  Reals state, keys, updates, decays;
  explicit KeptStates(const StatesOnDevice &of)
      : state(size_t(of.slots * of.heads * of.keyWidth * of.valueWidth), NAN),
        keys(size_t(of.slots * of.keyHeads * kDeltaChunk * of.keyWidth), NAN),
        updates(size_t(of.slots * of.heads * kDeltaChunk * of.valueWidth), NAN),
        decays(size_t(of.slots * of.heads * kDeltaChunk), NAN) {}
};

struct StatesRun {
  Reals q, k, v, gates, beta;
  StatesRun(const StatesOnDevice &of, Random &random)
      : q(random.reals(of.slots * of.length * of.keyHeads * of.keyWidth)),
        k(random.reals(of.slots * of.length * of.keyHeads * of.keyWidth,
                       1 / std::sqrt(float(of.keyWidth)))),
        v(random.reals(of.slots * of.length * of.heads * of.valueWidth)),
        gates(random.reals(of.slots * of.length * of.heads)),
        beta(random.reals(of.slots * of.length * of.heads)) {
    for (float &g : gates)
      g = of.gate != 0 ? of.gate : -std::abs(g) * 0.2f;
    for (float &b : beta)
      b = 1 / (1 + std::exp(-b));
  }
};

std::string planOfStates(const StatesOnDevice &of) {
  const int64_t S = of.slots, T = of.length, G = of.keyHeads, H = of.heads,
                K = of.keyWidth, V = of.valueWidth, C = kDeltaChunk;
  const std::string q = typeOf({S, T, G, K}), v = typeOf({S, T, H, V}),
                    g = typeOf({S, T, H}), at = typeOf({S}, "i32");
  const std::vector<Named> kept = {{"%s", typeOf({S, H, K, V})},
                                   {"%keys", typeOf({S, G, C, K})},
                                   {"%us", typeOf({S, H, C, V})},
                                   {"%ds", typeOf({S, H, C})}};
  std::vector<Named> operands = {{"%q", q}, {"%k", q}, {"%v", v}, {"%g", g}};
  operands.insert(operands.end(), kept.begin(), kept.end());
  operands.insert(operands.end(), {{"%begin", at}, {"%count", at}});
  std::string body = "%o:5 = nn.cached_delta_rule %q, %k, %v gates %g" +
                     std::string(of.hasBeta ? " beta %b" : "") + " in " +
                     list(kept, true, false) + " at %begin, %count" +
                     (of.hasStarts ? " from %i" : "") + " : " + q + ", " + v +
                     ", " + g + ", " + list(kept, false, true) + ", " + at;
  if (of.hasBeta) {
    operands.push_back({"%b", g});
    body += " beta " + g;
  }
  if (of.hasStarts) {
    operands.push_back({"%i", at});
    body += " from " + at;
  }
  std::vector<Named> results = {{"%o#0", v}};
  for (size_t i = 0; i < kept.size(); ++i)
    results.push_back({"%o#" + std::to_string(i + 1), kept[i].type});
  return planOfKernel(operands, results, /*replaced=*/4,
                      std::to_string(S) + ", " + std::to_string(G), body);
}

Reals statesOnProcessors(const StatesOnDevice &of, const StatesRun &x,
                         const Runs &runs, KeptStates &kept) {
  const int64_t T = of.length, G = of.keyHeads, H = of.heads, K = of.keyWidth,
                V = of.valueWidth, N = H / G, C = kDeltaChunk;
  Reals out(x.v.size(), NAN);
  for (int64_t s = 0; s < of.slots; ++s)
    for (int64_t g = 0; g < G; ++g) {
      const int64_t keys = (s * T * G + g) * K,
                    values = (s * T * H + g * N) * V,
                    numbers = s * T * H + g * N, head = s * H + g * N;
      zrt_cached_delta_rule(
          T, K, V, &runs.begin[size_t(s)], &runs.count[size_t(s)],
          of.hasStarts ? &runs.starts[size_t(s)] : nullptr, N,
          &x.q[size_t(keys)], G * K, &x.k[size_t(keys)], G * K,
          &x.v[size_t(values)], H * V, V, &x.gates[size_t(numbers)], H, 1,
          of.hasBeta ? &x.beta[size_t(numbers)] : nullptr, H, 1,
          &kept.state[size_t(head * K * V)], K * V,
          &kept.keys[size_t((s * G + g) * C * K)],
          &kept.updates[size_t(head * C * V)], C * V,
          &kept.decays[size_t(head * C)], C, &out[size_t(values)], H * V, V);
    }
  return out;
}

/// Of a chunk, the rows that count are compared.
void compareKept(const StatesOnDevice &of, const Runs &runs,
                 const KeptStates &got, const KeptStates &want) {
  const int64_t C = kDeltaChunk, K = of.keyWidth, V = of.valueWidth;
  for (int64_t s = 0; s < of.slots; ++s) {
    const int64_t rows = (runs.begin[size_t(s)] + runs.count[size_t(s)]) % C;
    for (int64_t h = s * of.heads; h < (s + 1) * of.heads; ++h) {
      expectBitsOfRun("state", &got.state[size_t(h * K * V)],
                      &want.state[size_t(h * K * V)], K * V);
      expectBitsOfRun("updates", &got.updates[size_t(h * C * V)],
                      &want.updates[size_t(h * C * V)], rows * V);
      expectBitsOfRun("decays", &got.decays[size_t(h * C)],
                      &want.decays[size_t(h * C)], rows);
    }
    for (int64_t g = s * of.keyHeads; g < (s + 1) * of.keyHeads; ++g)
      expectBitsOfRun("keys", &got.keys[size_t(g * C * K)],
                      &want.keys[size_t(g * C * K)], rows * K);
  }
}

void compareStates(const StatesOnDevice &of, int rounds) {
  EmulatedKernels device(planOfStates(of));
  Random random;
  KeptStates got(of), want(of);
  Runs runs(of.slots, of.length);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    runs.next(random);
    SCOPED_TRACE(testing::Message()
                 << of.what << ", slot 0 from " << runs.begin[0] << ", "
                 << runs.count[0] << " rows");
    const StatesRun x(of, random);
    Reals out(x.v.size(), NAN);
    using Device = EmulatedKernels;
    std::vector<Device::Operand> kept = {
        Device::write(got.state), Device::write(got.keys),
        Device::write(got.updates), Device::write(got.decays)};
    std::vector<Device::Operand> all = {Device::read(x.q), Device::read(x.k),
                                        Device::read(x.v),
                                        Device::read(x.gates)};
    all.insert(all.end(), kept.begin(), kept.end());
    all.push_back(Device::read(runs.begin));
    all.push_back(Device::read(runs.count));
    if (of.hasBeta)
      all.push_back(Device::read(x.beta));
    if (of.hasStarts)
      all.push_back(Device::read(runs.starts));
    all.push_back(Device::write(out));
    all.insert(all.end(), kept.begin(), kept.end());
    const int64_t units = of.slots * of.keyHeads;
    ASSERT_EQ(device.launch("kernel", all, units, units, uint64_t(round)), "");
    const Reals expected = statesOnProcessors(of, x, runs, want);
    expectBitsOfRun("out", out.data(), expected.data(), int64_t(out.size()));
    compareKept(of, runs, got, want);
  }
}

/// The bits are those of processors with FMA.
class DeviceStates : public testing::Test {
  void SetUp() override {
    if (instructionSet() == InstructionSet::Portable)
      GTEST_SKIP() << "this processor has no FMA";
  }
};

TEST_F(DeviceStates, HaveTheBitsOfProcessorsForAnyRuns) {
  compareStates({"token by token", 2, 1, 1, 2, 8, 16}, 150);
  compareStates({"short runs", 3, 9, 2, 4, 6, 10}, 60);
  compareStates({"whole chunks", 2, 64, 1, 1, 16, 20}, 12);
  compareStates({"more than a chunk", 2, 150, 1, 2, 5, 3}, 8);
}

TEST_F(DeviceStates, HaveTheBitsOfWideHeads) {
  compareStates({"Qwen 3.5", 1, 70, 1, 2, 128, 128}, 2);
  compareStates({"the widest", 1, 66, 1, 1, 256, 256}, 2);
}

TEST_F(DeviceStates, HaveTheBitsWithoutBetaAndOfDocuments) {
  compareStates({"Mamba-2", 2, 70, 1, 3, 16, 12, /*hasBeta=*/false}, 8);
  compareStates({"documents", 3, 40, 1, 2, 8, 8, true, /*hasStarts=*/true}, 20);
  compareStates({"documents without beta", 2, 40, 1, 1, 8, 8, false, true}, 20);
}

TEST_F(DeviceStates, HaveTheBitsOfStrongGates) {
  compareStates({"strong gates", 2, 50, 1, 1, 8, 8, true, false, -300}, 8);
  compareStates({"gates that round to 0", 2, 50, 1, 1, 8, 8, true, false, -104},
                8);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

struct ConvOnDevice {
  const char *what;
  int64_t slots, length, channels, taps, kept;
  bool hasStarts = false;
};

void compareConv(const ConvOnDevice &of, int rounds) {
  const int64_t S = of.slots, T = of.length, C = of.channels;
  const std::string x = typeOf({S, T, C}), w = typeOf({C, of.taps}),
                    i = typeOf({S, of.kept, C}), at = typeOf({S}, "i32");
  std::vector<Named> operands = {
      {"%x", x}, {"%w", w}, {"%i", i}, {"%begin", at}, {"%count", at}};
  if (of.hasStarts)
    operands.push_back({"%d", at});
  EmulatedKernels device(planOfKernel(
      operands, {{"%o#0", x}, {"%o#1", i}}, /*replaced=*/2,
      std::to_string(S) + ", 1",
      "%o:2 = nn.cached_causal_conv %x, %w in %i at %begin, %count" +
          std::string(of.hasStarts ? " from %d" : "") + " : " + x + ", " + w +
          ", " + i + ", " + at + (of.hasStarts ? " from " + at : "")));
  Random random;
  const Reals weight = random.reals(C * of.taps);
  Reals got(size_t(S * of.kept * C), NAN), want(got);
  Runs runs(S, T);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    runs.next(random);
    SCOPED_TRACE(testing::Message()
                 << of.what << ", slot 0 from " << runs.begin[0] << ", "
                 << runs.count[0] << " rows");
    const Reals inputs = random.reals(S * T * C);
    Reals out(inputs.size(), NAN), expected(out);
    using Device = EmulatedKernels;
    std::vector<Device::Operand> all = {
        Device::read(inputs), Device::read(weight), Device::write(got),
        Device::read(runs.begin), Device::read(runs.count)};
    if (of.hasStarts)
      all.push_back(Device::read(runs.starts));
    all.push_back(Device::write(out));
    all.push_back(Device::write(got));
    ASSERT_EQ(device.launch("kernel", all, S, S, uint64_t(round)), "");
    for (int64_t s = 0; s < S; ++s)
      zrt_cached_causal_conv(T, C, of.taps, of.kept, &runs.begin[size_t(s)],
                             &runs.count[size_t(s)],
                             of.hasStarts ? &runs.starts[size_t(s)] : nullptr,
                             &inputs[size_t(s * T * C)], C, weight.data(),
                             of.taps, &want[size_t(s * of.kept * C)],
                             &expected[size_t(s * T * C)], C);
    expectBitsOfRun("out", out.data(), expected.data(), int64_t(out.size()));
    expectBitsOfRun("inputs", got.data(), want.data(), int64_t(got.size()));
  }
}

TEST(DeviceStatesOfConvolutions, HaveTheBitsOfProcessorsForAnyRuns) {
  compareConv({"token by token", 2, 1, 19, 4, 67}, 100);
  compareConv({"runs", 3, 64, 130, 3, 66}, 10);
  compareConv({"the shortest memory", 2, 9, 300, 4, 9}, 20);
  compareConv({"one tap", 1, 5, 7, 1, 64}, 10);
  compareConv({"documents", 3, 20, 24, 4, 67, /*hasStarts=*/true}, 30);
}

} // namespace
