//===- TrainOptionList.cpp - The rows of abi/TrainOptions.def -------------===//
#include "train/options/TrainOptionList.h"

using namespace zrt;

static constexpr ListedOption kListed[] = {
#define TRAIN_OPTION(NAME, VALUE, GROUP, SCOPE, HELP)                          \
  {NAME, VALUE, GROUP, RankScope::SCOPE, HELP},
#include "abi/TrainOptions.def"
};

const ListedOption *zrt::findListedOption(std::string_view name) {
  for (const ListedOption &listed : kListed)
    if (listed.name == name)
      return &listed;
  return nullptr;
}

void zrt::describeOptions(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (const ListedOption *listed = findListedOption(option->get_name())) {
      option->description(listed->help)->group(listed->group);
      if (*listed->value)
        option->type_name(listed->value);
    }
}
