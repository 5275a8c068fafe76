//===- CommandLine.cpp - What all command lines have in common ------------===//
#include "runtime/main/CommandLine.h"

#include "runtime/main/OptionValues.h"

using namespace zrt;

/// "Could not convert: --steps = abc" and the like, in our style.
static std::string inOurWords(const CLI::ParseError &error) {
  std::string text = error.what();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  while (!text.empty() && (text.back() == '.' || text.back() == '\n'))
    text.pop_back();
  return text;
}

void zrt::addCommonOptions(CLI::App &app, std::string &threads,
                           TrainOptions &options) {
  app.add_flag("--plan", options.plan,
               "Print the operations of the plan's programs, and end")
      ->group("Output");
  app.add_option("--threads", threads,
                 "Threads that compute (default: this rank's share of the "
                 "machine)")
      ->type_name("N")
      ->group("Machine");
  app.add_option("--nvme-path", options.nvmePath,
                 "Folders for what a plan keeps on nvme; several share it by "
                 "stripes")
      ->type_name("DIR[,DIR...]")
      ->group("Machine");
  app.add_flag("--verify-reads", options.verifyReads,
               "Compare what is read from nvme with hashes of what was written")
      ->group("Machine");
}

void zrt::readLine(CLI::App &app, int argc, const char *const *argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError &) {
    const auto unknown = app.remaining();
    usage("unknown {} {}; see {} --help",
          unknown.front().rfind('-', 0) == 0 ? "option" : "argument",
          unknown.front(), app.get_name());
  } catch (const CLI::ParseError &error) {
    usage("{}; see {} --help", inOurWords(error), app.get_name());
  }
}
