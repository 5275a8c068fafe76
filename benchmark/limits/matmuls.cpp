//===- matmuls.cpp - Measures oneDNN's matmuls ---------------------------===//
//
//   OMP_NUM_THREADS=2 matmuls SECONDS 256x768x3072 ... [bf16 256x768x3072 ...]
//
// Prints a line `M N K form seconds` for C (M x N) = A (M x K) * B (K x N) and
// each layout in which a caller may hold A and B.  All are f32; after the word
// `bf16`, A and B are bf16 and C is f32.
//
//   NN      both as they are multiplied
//   NT      B stored transposed, as a weight is in the backward pass
//   TN      A stored transposed, as activations are for a weight's gradient
//   packed  A as it is, B in oneDNN's preferred layout; the conversion is not
//           measured
//
//===----------------------------------------------------------------------===//
#include "timing.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

using dnnl::memory;

namespace {

struct Form {
  const char *name;
  memory::format_tag a, b;
};

const Form kForms[] = {
    {"NN", memory::format_tag::ab, memory::format_tag::ab},
    {"NT", memory::format_tag::ab, memory::format_tag::ba},
    {"TN", memory::format_tag::ba, memory::format_tag::ab},
    {"packed", memory::format_tag::ab, memory::format_tag::any},
};

void fill(memory &matrix) {
  const size_t bytes = matrix.get_desc().get_size();
  const auto value = [](size_t i) { return 0.125f * float(i % 7) - 0.375f; };
  if (matrix.get_desc().data_type() == memory::data_type::f32) {
    auto *values = static_cast<float *>(matrix.get_data_handle());
    for (size_t i = 0; i < bytes / 4; ++i)
      values[i] = value(i);
    return;
  }
  // These values are exact in bf16, the upper half of an f32.
  auto *values = static_cast<uint16_t *>(matrix.get_data_handle());
  for (size_t i = 0; i < bytes / 2; ++i) {
    const float exact = value(i);
    uint32_t bits;
    std::memcpy(&bits, &exact, sizeof bits);
    values[i] = uint16_t(bits >> 16);
  }
}

double measure(dnnl::engine &engine, memory::data_type type, const Form &form,
               memory::dim m, memory::dim n, memory::dim k, double budget) {
  const memory::desc a({m, k}, type, form.a), b({k, n}, type, form.b),
      c({m, n}, memory::data_type::f32, memory::format_tag::ab);
  const dnnl::matmul::primitive_desc described({a, b, c}, engine);
  memory left(described.src_desc(), engine),
      right(described.weights_desc(), engine),
      result(described.dst_desc(), engine);
  fill(left);
  fill(right);
  dnnl::stream stream(engine);
  const dnnl::matmul product(described);
  return medianSeconds(budget, [&] {
    product.execute(stream, {{DNNL_ARG_SRC, left},
                             {DNNL_ARG_WEIGHTS, right},
                             {DNNL_ARG_DST, result}});
    stream.wait();
  });
}

} // namespace

int main(int argc, char **argv) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  auto type = memory::data_type::f32;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "bf16") {
      type = memory::data_type::bf16;
      continue;
    }
    long m = 0, n = 0, k = 0;
    if (std::sscanf(argv[i], "%ldx%ldx%ld", &m, &n, &k) != 3) {
      std::fprintf(stderr, "products: error: %s is not MxNxK\n", argv[i]);
      return 2;
    }
    for (const Form &form : kForms)
      try {
        std::printf("%ld %ld %ld %s %.9f\n", m, n, k, form.name,
                    measure(engine, type, form, m, n, k, std::atof(argv[1])));
      } catch (const dnnl::error &error) {
        // oneDNN has no products of bf16 for processors without AVX-512.
        if (type == memory::data_type::f32)
          throw;
      }
  }
}
