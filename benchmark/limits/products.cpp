//===- products.cpp - How fast oneDNN multiplies matrices -----------------===//
//
//   OMP_NUM_THREADS=2 products SECONDS 256x768x3072 ...
//
// A line `M N K form seconds` for C (M x N) = A (M x K) * B (K x N) in f32 and
// each way in which a caller may hold A and B:
//
//   NN      both as they are multiplied
//   NT      B stored transposed, as a weight is in the backward pass
//   TN      A stored transposed, as activations are for a weight's gradient
//   packed  A as it is, B in whatever layout oneDNN likes best; making that
//           layout is not measured
//
//===----------------------------------------------------------------------===//
#include "timing.h"

#include <cstdio>
#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>
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
  auto *values = static_cast<float *>(matrix.get_data_handle());
  const size_t count = matrix.get_desc().get_size() / sizeof(float);
  for (size_t i = 0; i < count; ++i)
    values[i] = 0.125f * float(i % 7) - 0.375f;
}

double measure(dnnl::engine &engine, const Form &form, memory::dim m,
               memory::dim n, memory::dim k, double budget) {
  const auto f32 = memory::data_type::f32;
  const memory::desc a({m, k}, f32, form.a), b({k, n}, f32, form.b),
      c({m, n}, f32, memory::format_tag::ab);
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
  for (int i = 2; i < argc; ++i) {
    long m = 0, n = 0, k = 0;
    if (std::sscanf(argv[i], "%ldx%ldx%ld", &m, &n, &k) != 3) {
      std::fprintf(stderr, "products: error: %s is not MxNxK\n", argv[i]);
      return 2;
    }
    for (const Form &form : kForms)
      std::printf("%ld %ld %ld %s %.9f\n", m, n, k, form.name,
                  measure(engine, form, m, n, k, std::atof(argv[1])));
  }
}
