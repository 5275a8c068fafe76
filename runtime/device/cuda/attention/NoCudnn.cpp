//===- NoCudnn.cpp - Attention by cuDNN, where its header is missing ------===//
#include "runtime/device/cuda/attention/Attentions.h"

#include "runtime/text/Error.h"

using namespace zrt;
using namespace zrt::cuda;

struct Attentions::Library {};
struct Attentions::Plan {};

Attentions::Attentions(const Gpu &theGpu, const zrt_plan &plan) : gpu(theGpu) {
  if (plan.device_attention_count != 0)
    fail("this program's attention is cuDNN's, and its runtime was built "
         "without; build zeroc where cudnn_graph.h is found (CUDNN_HOME), or "
         "compile without --attention=cudnn");
}
Attentions::~Attentions() = default;

void Attentions::prepare(CUstream, const zrt_launch_desc &,
                         std::span<const uint64_t>) {}
void Attentions::run(CUstream, const zrt_launch_desc &,
                     std::span<const uint64_t>) const {}
std::string Attentions::version() const { return ""; }
std::map<std::string, std::string> Attentions::engines() const { return {}; }
void Attentions::take(const std::string &, const std::string &) {}
