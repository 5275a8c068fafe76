//===- AttentionEngine.cpp - An engine of cuDNN for attention -------------===//
#include "runtime/device/cuda/attention/AttentionEngine.h"

#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::cuda;

std::string zrt::cuda::nameOf(const zrt_device_attention &of) {
  return fmt::format(
      "{}attention of {}{} x {} queries and {} keys, {} heads of {} columns, "
      "{} of keys, {}{}{}, rows {} {} {} {} apart",
      of.backward ? "the backward of " : "",
      of.at_once == of.batch ? "" : fmt::format("{} of ", of.at_once), of.batch,
      of.queries, of.keys, of.heads, of.width, of.key_heads,
      dtypeName(of.dtype), of.causal ? ", causal" : "",
      of.window ? fmt::format(", the last {}", of.window) : "", of.q.position,
      of.k.position, of.v.position, of.out.position);
}

static CudnnDescriptor engineOf(const CudnnDescriptor &config) {
  return std::move(
      config
          .list(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1)
          .at(0));
}

/// Describes the engine of a configuration and its knobs.
static std::string describe(const CudnnDescriptor &config) {
  std::string knobs;
  for (const CudnnDescriptor &knob : config.list(
           CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
           CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS))
    knobs += fmt::format(
        "{}{}: {}", knobs.empty() ? "" : ", ",
        int(knob.get<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE)),
        knob.get<int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  return fmt::format(
      "engine {}{}",
      engineOf(config).get<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX),
      knobs.empty() ? "" : " (knob " + knobs + ")");
}

static bool isDeterministic(const CudnnDescriptor &config) {
  const auto notes = engineOf(config).list<cudnnBackendNumericalNote_t>(
      CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return std::find(notes.begin(), notes.end(),
                   CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) == notes.end();
}

std::vector<CudnnDescriptor>
zrt::cuda::engineConfigs(const Cudnn &library, const AttentionGraph &graph,
                         const CudnnDescriptor &device) {
  constexpr size_t kMost = 16;
  std::vector<CudnnDescriptor> all;
  for (const cudnnBackendHeurMode_t mode :
       {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    CudnnDescriptor heuristic(library, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.graph());
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
    if (!heuristic.tryFinish())
      continue;
    for (CudnnDescriptor &one :
         heuristic.list(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                        CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMost))
      if (isDeterministic(one))
        all.push_back(std::move(one));
  }
  return all;
}

AttentionEngine::AttentionEngine(const Cudnn &theLibrary,
                                 const AttentionGraph &theGraph,
                                 const CudnnDescriptor &config,
                                 const CudnnDescriptor &device)
    : library(&theLibrary), graph(&theGraph),
      plan(theLibrary, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device);
  plan.finish();
  workspace =
      uint64_t(plan.get<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
}

AttentionEngine AttentionEngine::choose(const Cudnn &library,
                                        const AttentionGraph &graph,
                                        const CudnnDescriptor &device,
                                        const zrt_device_attention &of,
                                        const std::string &text) {
  std::string others;
  for (const CudnnDescriptor &config : engineConfigs(library, graph, device)) {
    const std::string shown = describe(config);
    if (!text.empty() && shown != text) {
      others += ", " + shown;
      continue;
    }
    AttentionEngine engine(library, graph, config, device);
    engine.shown = shown;
    return engine;
  }
  if (!text.empty())
    fail("{} was computed by {}, which {} does not have for it{}", nameOf(of),
         zrt::shown(text), library.version(),
         others.empty() ? "" : ", but " + others.substr(2));
  fail("{} has no engine for {} on this GPU that gives equal bits in equal "
       "runs; compile without --attention=cudnn",
       library.version(), nameOf(of));
}

void AttentionEngine::run(cudnnHandle_t handle, const Addresses &addresses,
                          uint64_t workspaceAddress) const {
  const auto pointer = [](uint64_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void *>(address);
  };
  std::vector<int64_t> numbers;
  std::vector<void *> pointers;
  for (const auto &[number, address] : addresses) {
    numbers.push_back(number);
    pointers.push_back(pointer(address));
  }
  for (const AttentionGraph::Constant &constant : graph->constants()) {
    numbers.push_back(constant.number);
    pointers.push_back(const_cast<float *>(&constant.real));
  }
  CudnnDescriptor pack(*library, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
           std::span<const int64_t>(numbers));
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
           std::span<void *const>(pointers));
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, pointer(workspaceAddress));
  pack.finish();
  library->check("cudnnBackendExecute",
                 library->BackendExecute(handle, plan.handle(), pack.handle()));
}
