//===- cudnn-support.cpp - Which attention cuDNN has ----------------------===//
//
//   cudnn-support DEVICE BATCH HEADS KEY_HEADS QUERIES KEYS WIDTH DTYPE
//                 BACKWARD CAUSAL WINDOW
//
// Asks cuDNN for engines of the runtime's graph on a GPU that is described by
// the JSON file DEVICE.  Needs the library and a libcuda.so.1, of which the
// toolkit's stub is enough, and no GPU.  Prints the workspace of each
// deterministic engine; the exit status is 1 if there is none.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/attention/AttentionEngine.h"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

using namespace zrt;
using namespace zrt::cuda;

static zrt_device_attention attentionOf(char **numbers) {
  const auto number = [&](int i) { return std::stoll(numbers[i]); };
  zrt_device_attention d = {};
  d.batch = d.at_once = number(0);
  d.heads = number(1);
  d.key_heads = number(2);
  d.queries = number(3);
  d.keys = number(4);
  d.width = number(5);
  d.dtype = std::string(numbers[6]) == "f16" ? ZRT_F16 : ZRT_BF16;
  d.backward = uint32_t(number(7));
  d.causal = uint32_t(number(8));
  d.window = number(9);
  d.scale = 0.125;
  const auto rows = [&](int64_t heads, int64_t positions) -> zrt_head_rows {
    return {1, 0, 0, positions * heads * d.width, heads * d.width, d.width};
  };
  d.q = d.out = d.grad = d.dq = rows(d.heads, d.queries);
  d.k = d.v = d.dk = d.dv = rows(d.key_heads, d.keys);
  d.lse = {1, 0, 0, d.heads * d.queries, 1, d.queries};
  return d;
}

int main(int count, char **arguments) {
  if (count != 12)
    return 2;
  std::ifstream file(arguments[1]);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const Cudnn library;
  const AttentionGraph graph(library, attentionOf(arguments + 2));
  CudnnDescriptor device(library, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  device.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
             std::span<const char>(text));
  device.finish();
  bool isFound = false;
  for (const CudnnDescriptor &config : engineConfigs(library, graph, device)) {
    fmt::print("{}\n",
               config.get<int64_t>(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE));
    isFound = true;
  }
  return isFound ? 0 : 1;
}
