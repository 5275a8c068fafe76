//===- DeviceCheck.cpp - --device-check -----------------------------------===//
#include "train/run/DeviceCheck.h"

#include "runtime/files/AtomicFile.h"
#include "runtime/files/OwnFiles.h"
#include "runtime/text/Error.h"
#include "runtime/world/RankOnHost.h"
#include "train/check/DeviceSections.h"
#include "train/report/StandardStreams.h"

#include <string_view>

using namespace zrt;
using namespace zrt::check;

namespace {

class DeviceCheck {
public:
  DeviceCheck(const zrt_plan &thePlan, const TrainOptions &given,
              World &theWorld)
      : plan(thePlan), options(given), world(theWorld),
        onHost(rankOnHost(theWorld)) {}

  int run() {
    attempt("conformance", [&] {
      sections.push_back(conformanceOf(plan, onHost, options.nvmePath));
    });
    attempt("operations",
            [&] { compareOperations(plan, options, world, sections); });
    if (world.size() > 1)
      attempt("collectives", [&] {
        sections.push_back(compareCollectives(
            plan,
            {options.threads, options.hostThreads, options.nvmePath.c_str(),
             options.verifyReads, 0},
            world));
      });
    attempt("links", [&] {
      sections.push_back(measureLinks(plan, onHost, options.nvmePath));
    });
    attempt("training",
            [&] { sections.push_back(trainTwice(plan, options, world)); });
    if (!isBroken && world.size() > 1)
      hearOthers();
    print();
    return failuresOf(sections) == 0 ? 0 : 1;
  }

private:
  /// Runs `look`, which adds its findings; an exception becomes a finding, too.
  template <typename Look>
  void attempt(const char *name, Look look) {
    if (isBroken) {
      sections.push_back(
          {name, "not looked at, after a failure of a rank", {}});
      return;
    }
    try {
      look();
    } catch (const std::exception &error) {
      sections.push_back(
          {name,
           "has ended",
           {{Verdict::Fails, "the first error", error.what(), {}, true}}});
      // The other ranks may be waiting for this one.
      if (world.size() > 1) {
        isBroken = true;
        world.abort(error.what());
      }
    }
  }

  void hearOthers() {
    const std::vector<uint64_t> all = world.gather(failuresOf(sections));
    Section ranks = {"ranks", "what the others have found", {}};
    for (size_t rank = 0; rank < all.size(); ++rank)
      if (int(rank) != world.rank())
        ranks.findings.push_back(
            {all[rank] == 0 ? Verdict::Holds : Verdict::Fails,
             fmt::format("rank {}", rank),
             all[rank] == 0 ? "all holds"
                            : fmt::format("{} do not hold; it says which on "
                                          "standard error",
                                          all[rank]),
             {},
             true});
    if (world.rank() == 0)
      sections.push_back(std::move(ranks));
  }

  void print() const {
    const std::string heading = fmt::format("device check of {}, rank {} of {}",
                                            plan.model ? plan.model : "a plan",
                                            world.rank(), world.size());
    if (world.rank() == 0) {
      sayText(pageText(heading, sections));
      if (!options.deviceCheckFile.empty())
        write(pageJson(heading, sections));
      return;
    }
    for (const Section &section : sections)
      for (const Finding &finding : section.findings)
        if (finding.verdict == Verdict::Fails)
          complain(fmt::format("{}: rank {}: FAIL: {}: {}", options.program,
                               world.rank(), finding.what, finding.found));
  }

  void write(const std::string &text) const {
    AtomicFile file(options.deviceCheckFile);
    file.write(text.data(), text.size());
    file.commit();
  }

  const zrt_plan &plan;
  const TrainOptions &options;
  World &world;
  const int onHost; ///< this rank's number on its host
  std::vector<Section> sections;
  bool isBroken = false; ///< a rank has failed: no more collectives
};

} // namespace

void zrt::checkDeviceCheck(const zrt_plan &plan, const TrainOptions &options) {
  if (!options.deviceCheck || plan.abi_version != ZRT_ABI_VERSION)
    return;
  if (!plan.make_device)
    usage("--device-check compares a GPU with processors, and this "
          "program is for "
          "processors alone; compile the model with --target=cuda");
  if (!options.deviceCheckFile.empty()) {
    (void)OutputPath(options.deviceCheckFile);
    checkReplaced(options.deviceCheckFile, kDeviceCheckFile, options.force);
  }
}

int zrt::deviceCheck(const zrt_plan &plan, const TrainOptions &options,
                     World &world) {
  return DeviceCheck(plan, options, world).run();
}
