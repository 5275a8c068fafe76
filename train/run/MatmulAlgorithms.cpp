//===- MatmulAlgorithms.cpp - The algorithms of a run's matmuls -----------===//
#include "train/run/MatmulAlgorithms.h"

#include "runtime/files/AtomicFile.h"
#include "runtime/system/Clock.h"
#include "train/state/io/Json.h"

#include <filesystem>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

constexpr const char *kFile = "matmuls.json";
constexpr int32_t kDefault = 16;
constexpr const char *kFix = "go on with the file, the GPU and the libraries "
                             "that the run had, or choose "
                             "again by --retune-matmuls, which changes bits";

} // namespace

void zrt::checkMatmulOptions(const zrt_plan &plan,
                             const TrainOptions &options) {
  for (const auto &[option, isGiven] :
       {std::pair("--matmul-algorithms", options.matmulAlgorithms != 0),
        {"--retune-matmuls", options.retunesMatmuls}})
    if (isGiven && !plan.make_device)
      usage("{} is for GPUs, and this program is for processors; compile the "
            "model with --target=cuda, or drop the option",
            option);
  if (options.retunesMatmuls && options.matmulAlgorithms == 1)
    usage("--retune-matmuls times several algorithms, and "
          "--matmul-algorithms=1 takes the first; drop one of them");
}

MatmulAlgorithms::MatmulAlgorithms(Run &theRun)
    : run(theRun), isOnGpu(run.plan.make_device) {
  if (run.options.matmulAlgorithms == 0)
    run.options.matmulAlgorithms = kDefault;
}

void MatmulAlgorithms::open() {
  TrainOptions &options = run.options;
  if (!isOnGpu || !run.isFirst || options.checkpoint.resume.empty())
    return;
  const std::string checkpoint = chosenCheckpoint(options);
  if (checkpoint.empty())
    return;
  file = fs::path(checkpoint).parent_path() / kFile;
  if (options.retunesMatmuls || options.matmulAlgorithms == 1)
    return;
  isMissing = !fs::exists(file);
  if (!isMissing) {
    kept = readText(file, kMaxConfigBytes, "the algorithms of matmuls");
    try {
      (void)parseJsonOf(file, kept);
    } catch (const Error &error) {
      fail("{}; {}", error.what(), kFix);
    }
    return;
  }
  options.matmulAlgorithms = 1;
  line = fmt::format("note      there is no {}: matmuls have the algorithms "
                     "that cuBLASLt names first, as before; --retune-matmuls "
                     "takes the fastest\n",
                     file);
}

void MatmulAlgorithms::choose() {
  if (!isOnGpu)
    return;
  std::string choices;
  const auto begin = Clock::now();
  together(run.world, [&] {
    if (run.isFirst && run.options.matmulAlgorithms > 1)
      choices = chooseHere(kept);
  });
  const double seconds = secondsSince(begin);
  choices = run.world.textOfRank0(choices);
  together(run.world, [&] {
    if (run.isFirst)
      keep(choices);
    else if (!choices.empty())
      (void)chooseHere(choices);
  });
  if (choices.empty())
    return;
  const std::string &folder = run.options.checkpoint.folder;
  if (choices == kept)
    line = fmt::format("matmuls   algorithms of {}\n", file);
  else
    line = fmt::format(
        "matmuls   the fastest of up to {} algorithms{}, timed in {:.1f} s; "
        "{}\n",
        run.options.matmulAlgorithms,
        kept.empty() ? "" : " where " + file + " has none", seconds,
        folder.empty() ? "without --checkpoint, another run may choose others, "
                         "with other bits"
                       : fmt::format("kept in {}/{}", folder, kFile));
}

std::string MatmulAlgorithms::chooseHere(const std::string &chosen) {
  const char *choices = zrt_choose_matmuls(
      run.context.get(), run.isFirst ? run.options.matmulAlgorithms : 1,
      chosen.c_str());
  if (choices)
    return choices;
  const char *error = zrt_error_message(run.context.get());
  if (chosen.empty())
    throw Error(error);
  if (!run.isFirst)
    fail("{}; rank 0 has chosen them: give all ranks GPUs and cuBLASLt of one "
         "kind, or --matmul-algorithms=1",
         error);
  fail("{}: {}; {}", file, error, kFix);
}

void MatmulAlgorithms::keep(const std::string &choices) const {
  const std::string &folder = run.options.checkpoint.folder;
  const std::string path = fs::path(folder) / kFile;
  if (folder.empty() || (choices == kept && path == file))
    return;
  if (!choices.empty())
    replaceFile(path, choices);
  else if (file.empty())
    // What begins here is not to go on with the file of an older run.
    fs::remove(path);
}

void MatmulAlgorithms::checkResumed() const {
  if (!isMissing || !run.resumed)
    return;
  for (const auto &[option, value] : run.resumed->run.options)
    if (option == "--matmul-algorithms" && value != "1")
      fail("{} is missing, which has the algorithms of the run's matmuls; {}",
           file, kFix);
}
