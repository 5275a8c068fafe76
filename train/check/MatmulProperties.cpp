//===- MatmulProperties.cpp - Properties of products and errors -----------===//
#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/PlanTable.h"
#include "train/check/Conformance.h"
#include "train/check/Expect.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace zrt;
using namespace zrt::check;

std::vector<std::byte> check::bytesOf(const std::vector<double> &values,
                                      zrt_dtype dtype) {
  std::vector<std::byte> bytes(values.size() * dtypeBytes(dtype));
  if (dtype == ZRT_F64)
    std::memcpy(bytes.data(), values.data(), bytes.size());
  else
    narrow(std::vector<float>(values.begin(), values.end()).data(),
           values.size(), dtype, bytes.data());
  return bytes;
}

std::vector<double> check::valuesOf(const std::vector<std::byte> &bytes,
                                    zrt_dtype dtype) {
  const size_t count = bytes.size() / dtypeBytes(dtype);
  std::vector<double> values(count);
  if (dtype == ZRT_F64) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<float> floats(count);
  widen(bytes.data(), dtype, count, floats.data());
  return {floats.begin(), floats.end()};
}

namespace {

std::vector<double> plainMatmul(const zrt_matmul_desc &d,
                                const std::vector<double> &a,
                                const std::vector<double> &b,
                                const std::vector<double> &bias,
                                std::vector<double> c) {
  const int64_t lda = storedA(d).ld, ldb = storedB(d).ld, ldc = storedC(d).ld;
  for (int64_t n = 0; n < d.batch; ++n)
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < d.k; ++p)
          sum += a[size_t(n * d.m * d.k +
                          (d.trans_a ? p * lda + i : i * lda + p))] *
                 b[size_t(n * d.k * d.n +
                          (d.trans_b ? j * ldb + p : p * ldb + j))];
        double &to = c[size_t((n * d.m + i) * ldc + j)];
        to = d.scale * sum + (d.has_bias ? bias[size_t(j)] : 0) +
             (d.accumulate ? to : 0);
      }
  return c;
}

/// Combinations of trans_a, trans_b, has_bias and accumulate.
constexpr uint32_t kFlags = 16;

/// Checks a product whose A and B have type `from`, with a relative tolerance.
void checkMatmul(const DeviceUnderTest &device, zrt_dtype from, zrt_dtype c,
                 zrt_dtype bias, double tolerance, uint32_t flags) {
  zrt_matmul_desc d = {};
  d.scale = 1;
  d.name = "matmul.0";
  d.trans_a = flags & 1;
  d.trans_b = flags >> 1 & 1;
  d.has_bias = flags >> 2 & 1;
  d.accumulate = flags >> 3 & 1;
  d.scale = d.accumulate ? 1.0 / 3 : 1; // of a mean of three
  d.m = 37;
  d.n = 53;
  d.k = 71;
  // Two products, or one of matrices with padded rows.
  d.batch = 1 + (d.trans_a + d.trans_b + d.has_bias) % 2;
  if (d.batch == 1) {
    d.lda = storedA(d).columns + 3;
    d.ldb = storedB(d).columns + 8;
    d.ldc = d.n + 11;
  }
  auto place = [at = uint64_t{0}](int64_t count, zrt_dtype dtype) mutable {
    const zrt_ref ref = deviceRef(at, uint64_t(count) * dtypeBytes(dtype));
    at += (ref.bytes + 4095) / 4096 * 4096;
    return tensor(ref, dtype);
  };
  const auto placeMatrix = [&](const StoredMatrix &matrix, zrt_dtype dtype) {
    return place(d.batch * matrix.rows * matrix.ld, dtype);
  };
  d.a = placeMatrix(storedA(d), from);
  d.b = placeMatrix(storedB(d), from);
  d.bias = place(d.n, bias);
  d.c = placeMatrix(storedC(d), c);
  DeviceRun run(planOf(Table().matmul(ZRT_COMPUTE, d)), device);
  const auto write = [&](const zrt_operand &operand, uint64_t seed) {
    const auto bytes =
        bytesOf(some<double>(elementsIn(operand), seed), operand.dtype);
    run.write(operand.ref, bytes);
    return valuesOf(bytes, operand.dtype);
  };
  const auto a = write(d.a, 1), b = write(d.b, 2), biases = write(d.bias, 3),
             old = write(d.c, 4);
  run.step();
  const auto expected = plainMatmul(d, a, b, biases, old);
  const auto found = valuesOf(run.read<std::byte>(d.c.ref), c);
  // cuBLASLt rounds sums of two of three terms to 16 bits, too.
  const bool roundsMore = d.has_bias && d.accumulate && is16Bits(c);
  const auto boundOf = [&](size_t i) {
    const size_t column = i % size_t(storedC(d).ld);
    const double size = std::fabs(expected[i]),
                 terms =
                     size + std::fabs(old[i]) +
                     (column < biases.size() ? std::fabs(biases[column]) : 0);
    return tolerance * (std::max(size, 1.0) + (roundsMore ? 2 * terms : 0));
  };
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(found[i] - expected[i]) <= boundOf(i)))
      fail("{} to {}{}{}{}{}: element {} is {}, not {}", dtypeName(from),
           dtypeName(c), d.trans_a ? ", A transposed" : "",
           d.trans_b ? ", B transposed" : "", d.has_bias ? ", with a bias" : "",
           d.accumulate ? ", accumulating" : "", i, found[i], expected[i]);
}

void matmulsAreThoseOfALoop(const DeviceUnderTest &device) {
  const auto all = [&](zrt_dtype from, zrt_dtype c, zrt_dtype bias,
                       double tolerance) {
    for (uint32_t flags = 0; flags < kFlags; ++flags)
      checkMatmul(device, from, c, bias, tolerance, flags);
  };
  all(ZRT_F64, ZRT_F64, ZRT_F64, 1e-12);
  all(ZRT_F32, ZRT_F32, ZRT_F32, 1e-4);
  for (const auto [dtype, places] : {std::pair{ZRT_BF16, 8}, {ZRT_F16, 11}})
    for (const zrt_dtype bias : {zrt_dtype(dtype), zrt_dtype(ZRT_F32)}) {
      if (bias == ZRT_F32 || device.hasWideBias)
        all(dtype, ZRT_F32, bias, 1e-4);
      // Rounded once: half a unit in the last place plus the error of the sum.
      if (bias != ZRT_F32 || device.hasWideBias)
        all(dtype, dtype, bias, std::ldexp(1.0, -places) + 1e-4);
    }
}

void aRateIsThatOfSomeTime(const DeviceUnderTest &device) {
  DeviceRun run(idle(), device);
  for (const zrt_dtype dtype : {ZRT_F32, ZRT_BF16, ZRT_F16}) {
    const double rate = run.device().matmulRate(dtype);
    expect(rate > 1e6 && rate < 1e18,
           fmt::format("{} flops a second of {}", rate, dtypeName(dtype)));
  }
}

/// The device's error for a product of these types; "" if it accepts them.
std::string refusal(const DeviceUnderTest &device, zrt_dtype a, zrt_dtype b,
                    zrt_dtype bias, zrt_dtype c) {
  zrt_matmul_desc d = {};
  d.scale = 1;
  d.name = "c_fc.3";
  d.batch = d.m = d.n = d.k = d.has_bias = 1;
  d.a = scalar(deviceRef(0, dtypeBytes(a)), a);
  d.b = scalar(deviceRef(8, dtypeBytes(b)), b);
  d.bias = scalar(deviceRef(16, dtypeBytes(bias)), bias);
  d.c = scalar(deviceRef(24, dtypeBytes(c)), c);
  const std::string place = "program step, operation 0, c_fc.3: ";
  try {
    const DeviceRun run(planOf(Table().matmul(ZRT_COMPUTE, d)), device);
  } catch (const Error &error) {
    const std::string text = error.what();
    return text.find(place) == 0 ? text.substr(place.size())
                                 : "it names no operation: " + text;
  }
  return "";
}

void otherTypesAreRefused(const DeviceUnderTest &device) {
  const auto need = [&](zrt_dtype a, zrt_dtype b, zrt_dtype bias, zrt_dtype c,
                        const std::string &begin) {
    const std::string found = refusal(device, a, b, bias, c);
    expect(begin.empty() ? found.empty() : found.find(begin) == 0,
           fmt::format("{} times {} plus {} to {}: \"{}\", not \"{}\"",
                       dtypeName(a), dtypeName(b), dtypeName(bias),
                       dtypeName(c), found, begin));
  };
  if (device.hasWideBias)
    need(ZRT_BF16, ZRT_BF16, ZRT_F32, ZRT_BF16, "");
  else
    expect(!refusal(device, ZRT_BF16, ZRT_BF16, ZRT_F32, ZRT_BF16).empty(),
           "bf16 plus f32 is not refused");
  need(ZRT_BF16, ZRT_BF16, ZRT_BF16, ZRT_BF16, "");
  need(ZRT_BF16, ZRT_F16, ZRT_BF16, ZRT_BF16, "B: it is f16");
  need(ZRT_BF16, ZRT_F32, ZRT_BF16, ZRT_BF16, "B: it is f32");
  need(ZRT_F16, ZRT_F16, ZRT_BF16, ZRT_F16, "bias: it is bf16");
  need(ZRT_F16, ZRT_F16, ZRT_F16, ZRT_BF16, "C: it is bf16");
  need(ZRT_F16, ZRT_F16, ZRT_F16, ZRT_F64, "C: it is f64");
  need(ZRT_F32, ZRT_F32, ZRT_F32, ZRT_BF16, "C: it is bf16");
  need(ZRT_F32, ZRT_F32, ZRT_F16, ZRT_F32, "bias: it is f16");
}

void othersAreRefusedAtTheStart(const DeviceUnderTest &device) {
  zrt_matmul_desc product = {};
  product.scale = 1;
  product.name = "c_fc.3";
  product.batch = product.m = product.n = product.k = 1;
  product.a = product.b = product.c = scalar(deviceRef(0, 1), ZRT_I8);
  const zrt_plan plan =
      planOf(Table().record(ZRT_COMPUTE, 0).matmul(ZRT_COMPUTE, product));
  std::string text;
  try {
    const DeviceRun run(plan, device);
  } catch (const Error &error) {
    text = error.what();
  }
  expect(text.find("program step, operation 1, c_fc.3: A: it is i8") == 0,
         "nobody noticed a product of i8: " + text);
}

} // namespace

std::vector<Property> check::matmulProperties() {
  return {
      {"H_MatmulsAreThoseOfAPlainLoop", false, matmulsAreThoseOfALoop},
      {"M_WhatItCannotDoIsRefusedAtTheStart", false,
       othersAreRefusedAtTheStart},
      {"N_OtherTypesOfMatmulsAreRefused", false, otherTypesAreRefused},
      {"P_ARateOfMatmulsIsThatOfSomeTime", false, aRateIsThatOfSomeTime},
  };
}
