//===- Attentions.cpp - Attention that cuDNN computes ---------------------===//
#include "runtime/device/cuda/attention/Attentions.h"

#include "runtime/device/cuda/attention/AttentionEngine.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <vector>

using namespace zrt;
using namespace zrt::cuda;

struct Attentions::Library {
  explicit Library(const Gpu &gpu) {
    gpu.enter();
    cudnn.check("cudnnCreate", cudnn.Create(&handle));
    device = std::make_unique<CudnnDescriptor>(
        cudnn, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    device->set(CUDNN_ATTR_DEVICEPROP_HANDLE, handle);
    device->finish();
  }
  ~Library() { (void)cudnn.Destroy(handle); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  const Cudnn cudnn;
  cudnnHandle_t handle = nullptr;
  std::unique_ptr<CudnnDescriptor> device;
};

struct Attentions::Plan {
  explicit Plan(const zrt_device_attention &attention) : of(attention) {}

  const zrt_device_attention &of;
  std::unique_ptr<AttentionGraph> graph;
  std::unique_ptr<AttentionEngine> engine; ///< null until it is chosen
  bool hasRun = false;                     ///< the engine
};

Attentions::Attentions(const Gpu &theGpu, const zrt_plan &plan) : gpu(theGpu) {
  for (uint32_t i = 0; i < plan.device_attention_count; ++i)
    plans[plan.device_attentions[i].fn] =
        std::make_unique<Plan>(plan.device_attentions[i]);
}

Attentions::~Attentions() { (void)gpu.tryEnter(); }

Attentions::Library &Attentions::library() {
  if (!loaded)
    loaded = std::make_unique<Library>(gpu);
  return *loaded;
}

std::string Attentions::version() const {
  return loaded ? loaded->cudnn.version() : "";
}

/// Throws unless the plan has room for the engine.
static void checkRoom(const zrt_device_attention &of,
                      const AttentionEngine &engine) {
  const uint64_t room = of.room_bytes - sumBytes(of);
  if (engine.workspaceBytes() > room)
    fail("cuDNN's {} needs a workspace of {} bytes for {}, and the plan has {} "
         "for it; take another version of cuDNN, or compile without "
         "--attention=cudnn",
         engine.text(), engine.workspaceBytes(), nameOf(of), room);
}

void Attentions::prepare(CUstream stream, const zrt_launch_desc &desc,
                         std::span<const uint64_t> addresses) {
  constexpr uint64_t kAlignment = 16;
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    if (desc.args[i].ref.offset % kAlignment != 0)
      fail("operand {} lies at {} of the device arena, and cuDNN reads what "
           "lies at multiples of {}; compile the model again",
           i, desc.args[i].ref.offset, kAlignment);
  const std::lock_guard<std::mutex> lock(mutex);
  Plan &plan = *plans.at(desc.fn);
  if (plan.hasRun)
    return;
  gpu.enter();
  Library &with = library();
  if (!plan.engine) {
    plan.graph = std::make_unique<AttentionGraph>(with.cudnn, plan.of);
    plan.engine = std::make_unique<AttentionEngine>(AttentionEngine::choose(
        with.cudnn, *plan.graph, *with.device, plan.of));
  }
  checkRoom(plan.of, *plan.engine);
  run(stream, desc, addresses);
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    gpu.MemsetD8Async(addresses[i], 0, desc.args[i].ref.bytes, stream);
  gpu.StreamSynchronize(stream);
  plan.hasRun = true;
}

std::map<std::string, std::string> Attentions::engines() const {
  std::map<std::string, std::string> all;
  for (const auto &[fn, plan] : plans)
    if (plan->engine)
      all[nameOf(plan->of)] = plan->engine->text();
  return all;
}

void Attentions::take(const std::string &attention, const std::string &engine) {
  gpu.enter();
  for (const auto &[fn, plan] : plans)
    if (plan->engine && nameOf(plan->of) == attention &&
        plan->engine->text() != engine) {
      plan->engine = std::make_unique<AttentionEngine>(AttentionEngine::choose(
          loaded->cudnn, *plan->graph, *loaded->device, plan->of, engine));
      plan->hasRun = false;
    }
}

void Attentions::run(CUstream stream, const zrt_launch_desc &desc,
                     std::span<const uint64_t> addresses) const {
  const Plan &plan = *plans.at(desc.fn);
  const zrt_device_attention &d = plan.of;
  loaded->cudnn.check(
      "cudnnSetStream",
      loaded->cudnn.SetStream(loaded->handle,
                              reinterpret_cast<cudaStream_t>(stream)));
  constexpr uint64_t kHalf = 2, kFloat = 4;
  const uint64_t room = addresses[d.room.operand - 1];
  for (int64_t batch = 0; batch < d.batch; batch += d.at_once) {
    AttentionEngine::Addresses at;
    const auto add = [&](int64_t tensor, const zrt_head_rows &rows,
                         uint64_t bytes) {
      if (rows.operand)
        at.emplace_back(tensor,
                        addresses[rows.operand - 1] +
                            uint64_t(rows.first + batch * rows.batch) * bytes);
    };
    add(AttentionGraph::Q, d.q, kHalf);
    add(AttentionGraph::K, d.k, kHalf);
    add(AttentionGraph::V, d.v, kHalf);
    add(AttentionGraph::Out, d.out, kHalf);
    add(AttentionGraph::Lse, d.lse, kFloat);
    add(AttentionGraph::Grad, d.grad, kHalf);
    add(AttentionGraph::DQ, d.dq, kHalf);
    add(AttentionGraph::DK, d.dk, kHalf);
    add(AttentionGraph::DV, d.dv, kHalf);
    if (d.backward)
      at.emplace_back(AttentionGraph::Sums,
                      room + uint64_t(batch * d.heads * d.queries) * kFloat);
    plan.engine->run(loaded->handle, at, room + sumBytes(d));
  }
}
