//===- Runs.cpp - Runs kernels in different pieces and orders -------------===//

#include "Runs.h"

#include "dialect/nn/NN.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>
#include <memory>
#include <random>

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Compute threads of the runtime.
constexpr int kThreads = 3;

using Bytes = std::unique_ptr<uint8_t, decltype(&free)>;

class Execution {
public:
  Execution(Layout &layout, const Runs &runs)
      : layout(layout), runs(runs), random(runs.seed) {}

  bool execute() {
    Bytes first = allocate();
    for (Launch &launch : layout.launches)
      call(launch, first.get(), 0, launch.of->extent);
    for (Launch &launch : layout.launches)
      compareWithMeaning(launch, first.get());
    checkGaps(first.get());
    for (int i = 0; i < 2; ++i) {
      Bytes pieces = allocate();
      for (Launch &launch : layout.launches)
        callPieces(launch, pieces.get());
      compareBytes(first.get(), pieces.get(), "in pieces");
    }
    runOnThreads(layout.bytes, "by threads of a GPU");
    runOnThreads(drawOtherNumbers(), "by threads of a GPU, for other numbers,");
    return runPlan(first.get(), -1) &&
           llvm::all_of(llvm::seq(runs.chaos), [&](unsigned seed) {
             return runPlan(first.get(), int(seed));
           });
  }

private:
  static Bytes allocate(const std::vector<uint8_t> &from) {
    size_t size = llvm::alignTo(from.size(), 4096);
    Bytes bytes(static_cast<uint8_t *>(aligned_alloc(4096, size)), free);
    llvm::copy(from, bytes.get());
    return bytes;
  }
  Bytes allocate() { return allocate(layout.bytes); }

  static void note(const Launch &launch, const llvm::Twine &what) {
    if (launch.of->finding.empty())
      launch.of->finding = (what + (launch.inPlace ? " (in place)" : "")).str();
  }

  void call(const Launch &launch, uint8_t *arena, int64_t begin, int64_t end) {
    SmallVector<void *> args;
    for (const zrt_ref &ref : launch.args)
      args.push_back(arena + ref.offset);
    launch.of->entry(args.data(), begin, end);
  }

  void callPieces(const Launch &launch, uint8_t *arena) {
    SmallVector<std::pair<int64_t, int64_t>> pieces;
    int64_t most = 1 + random() % std::min<uint64_t>(launch.of->extent, 40);
    for (int64_t begin = 0; begin < launch.of->extent;) {
      int64_t end =
          std::min<int64_t>(launch.of->extent, begin + 1 + random() % most);
      pieces.push_back({begin, end});
      begin = end;
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    for (auto [begin, end] : pieces)
      call(launch, arena, begin, end);
  }

  /// Draws numbers whose sums depend on the order; those of the layout do not.
  std::vector<uint8_t> drawOtherNumbers() {
    std::vector<uint8_t> bytes = layout.bytes;
    std::uniform_real_distribution<double> numbers(0.25, 4);
    for (const Launch &launch : layout.launches) {
      KernelOp kernel = launch.of->kernel;
      for (auto [ref, type] :
           llvm::zip(launch.args, kernel.getArgumentTypes())) {
        auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
        if (!element)
          continue;
        const uint64_t size = element.getWidth() / 8;
        for (uint64_t at = 0; at < ref.bytes; at += size) {
          APFloat number(random() % 2 ? numbers(random) : -numbers(random));
          bool losesInfo;
          number.convert(element.getFloatSemantics(),
                         APFloat::rmNearestTiesToEven, &losesInfo);
          uint64_t bits = number.bitcastToAPInt().getZExtValue();
          memcpy(bytes.data() + ref.offset + at, &bits, size);
        }
      }
    }
    return bytes;
  }

  /// Runs the GPU form of each kernel that has one.
  void runOnThreads(const std::vector<uint8_t> &bytes, const char *how) {
    for (Launch &launch : layout.launches) {
      if (launch.of->device.empty())
        continue;
      Bytes right = allocate(bytes), mine = allocate(bytes);
      call(launch, right.get(), 0, launch.of->extent);
      std::string error = runThreads(launch, mine.get(), random());
      if (!error.empty())
        note(launch, error);
      else if (llvm::any_of(launch.of->device, [](const auto &device) {
                 return device.kernel.rounds;
               }))
        compareOnTensorCores(launch, bytes, mine.get(), how);
      else if (memcmp(right.get(), mine.get(), bytes.size()) != 0)
        note(launch, llvm::Twine("has other bytes ") + how);
    }
  }

  /// Compares attention with tensor-core rounding with the interpretation, and
  /// checks that another order of threads gives the same bytes.
  void compareOnTensorCores(const Launch &launch,
                            const std::vector<uint8_t> &bytes,
                            const uint8_t *arena, const char *how) {
    KernelOp kernel = launch.of->kernel;
    Bytes again = allocate(bytes);
    std::string error = runThreads(launch, again.get(), random());
    if (!error.empty() || memcmp(again.get(), arena, bytes.size()) != 0)
      note(launch, error.empty()
                       ? "has other bytes in another order " + llvm::Twine(how)
                       : llvm::Twine(error));
    std::vector<Elements> operands;
    for (auto [ref, type] : llvm::zip(launch.args, kernel.getArgumentTypes()))
      operands.push_back(readElements(bytes.data() + ref.offset,
                                      cast<RankedTensorType>(type)));
    auto results = interpret(kernel, operands),
         errors = interpretErrors(kernel, operands);
    if (failed(results) || failed(errors))
      return note(launch, "has no meaning for other numbers");
    for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
      std::string difference = compareWithin(
          arena + launch.args[kernel.getNumArguments() + i].offset,
          (*results)[i], (*errors)[i], cast<RankedTensorType>(type));
      if (!difference.empty())
        note(launch,
             llvm::formatv("result {0} {1}: {2}", i, how, difference).str());
    }
  }

  void compareWithMeaning(const Launch &launch, const uint8_t *arena) {
    KernelOp kernel = launch.of->kernel;
    bool exact = true;
    kernel.walk([&](Operation *op) {
      exact &= op->getName().getDialectNamespace() != "math" &&
               !isa<nn::AttentionOp, nn::AttentionBackwardOp>(op);
    });
    for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
      std::string difference =
          compare(arena + launch.args[kernel.getNumArguments() + i].offset,
                  launch.of->results[i], cast<RankedTensorType>(type), exact);
      if (!difference.empty())
        note(launch, llvm::formatv("result {0}: {1}", i, difference));
    }
  }

  /// Checks that only results are written.
  void checkGaps(const uint8_t *arena) {
    std::vector<bool> written(layout.bytes.size());
    for (const Launch &launch : layout.launches)
      for (const zrt_ref &ref :
           llvm::drop_begin(launch.args, launch.of->kernel.getNumArguments()))
        std::fill_n(written.begin() + ref.offset, ref.bytes, true);
    for (size_t i = 0; i < written.size(); ++i)
      if (!written[i] && arena[i] != layout.bytes[i])
        note(near(i), "writes bytes that are no result's");
  }

  /// Returns the launch whose bytes lie at or before `offset`.
  const Launch &near(uint64_t offset) {
    const Launch *nearest = &layout.launches.front();
    uint64_t best = 0;
    for (const Launch &launch : layout.launches)
      for (const zrt_ref &ref : launch.args)
        if (ref.offset <= offset && ref.offset >= best) {
          best = ref.offset;
          nearest = &launch;
        }
    return *nearest;
  }

  void compareBytes(const uint8_t *right, const uint8_t *arena,
                    const llvm::Twine &how) {
    for (const Launch &launch : layout.launches)
      for (auto [i, ref] : llvm::enumerate(launch.args))
        if (memcmp(right + ref.offset, arena + ref.offset, ref.bytes) != 0)
          note(launch,
               "argument " + llvm::Twine(i) + " has other bytes " + how);
    if (memcmp(right, arena, layout.bytes.size()) != 0 &&
        llvm::all_of(layout.launches, [](const Launch &launch) {
          return launch.of->finding.empty();
        }))
      note(layout.launches.front(), "or another writes elsewhere " + how);
  }

  bool runPlan(const uint8_t *right, int chaos);

  Layout &layout;
  const Runs &runs;
  std::mt19937_64 random;
};

} // namespace

bool Execution::runPlan(const uint8_t *right, int chaos) {
  // Kernels do not use the descriptions of their operands.
  std::vector<std::vector<zrt_operand>> operandsOf;
  std::vector<zrt_launch_desc> launches;
  std::vector<zrt_op> table;
  for (const Launch &launch : layout.launches) {
    auto &list = operandsOf.emplace_back();
    for (const zrt_ref &ref : launch.args)
      list.push_back({ref, ZRT_I8, ZRT_MEMBERS});
  }
  for (auto [launch, list] : llvm::zip_equal(layout.launches, operandsOf))
    launches.push_back({launch.of->symbol.c_str(), launch.of->entry,
                        launch.of->extent, launch.of->grain,
                        uint32_t(list.size()), 0, list.data()});
  table.reserve(launches.size());
  for (const zrt_launch_desc &launch : launches)
    table.push_back({ZRT_LAUNCH, 0, &launch});
  const zrt_stream_desc compute = {"compute", ZRT_COMPUTE, 0};
  int64_t words = layout.operandBytes / 4;
  zrt_input operands{"operands",
                     ZRT_I32,
                     1,
                     &words,
                     {ZRT_DEVICE, 0, 0, layout.operandBytes},
                     /*bound=*/0,
                     /*ignored=*/0,
                     /*micro_step=*/0,
                     /*reserved=*/0};
  zrt_plan plan = {};
  plan.abi_version = ZRT_ABI_VERSION;
  plan.world_size = 1;
  plan.accumulate = 1;
  plan.model = plan.options = plan.features = "";
  plan.cpu = "native";
  plan.arena_bytes[ZRT_DEVICE] = plan.exported_begin = layout.bytes.size();
  plan.input_count = 1;
  plan.inputs = &operands;
  plan.streams = &compute;
  plan.stream_count = 1;
  plan.programs[ZRT_STEP] = {table.data(), table.size(), 0, 0};

  if (chaos >= 0)
    setenv("ZRT_CHAOS", std::to_string(chaos).c_str(), /*overwrite=*/1);
  zrt_context *ctx = nullptr;
  zrt_status status = zrt_create(&plan, &ctx);
  zrt_setup setup = {kThreads, 0, nullptr, 0, 0};
  if (!status)
    status = zrt_start(ctx, &setup, nullptr);
  unsetenv("ZRT_CHAOS");
  if (!status) {
    zrt_ref all{ZRT_DEVICE, 0, 0, layout.bytes.size()};
    Bytes arena = allocate();
    zrt_write(ctx, &all, arena.get(), all.bytes);
    zrt_run(ctx, ZRT_STEP);
    status = zrt_read(ctx, &all, arena.get(), all.bytes);
    if (!status)
      compareBytes(right, arena.get(),
                   chaos < 0 ? llvm::formatv("on {0} threads", kThreads).str()
                             : llvm::formatv("under chaos {0}", chaos).str());
  }
  if (status)
    llvm::errs() << "zero-kernels: error: " << zrt_error_message(ctx) << '\n';
  zrt_destroy(ctx);
  return !status;
}

bool zero::execute(Layout &layout, const Runs &runs) {
  return layout.launches.empty() || Execution(layout, runs).execute();
}
