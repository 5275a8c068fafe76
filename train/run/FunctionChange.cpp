//===- FunctionChange.cpp - Compares the model with that of a run ---------===//
//
// A plan and a checkpoint say what their model computes, by key:
//
//   rope_theta, --z-loss, ...   of a model that zeroc import has made
//   --dropout                   likewise, but no part of the function
//   text                        a hash of the model's text
//   inputs                      the inputs, with the batch, that it is for
//
// Equal texts are one function.  Otherwise the keys decide that both have; and
// where they have none, of a model that was written by hand or exported, the
// texts, unless they are for other batches.
//
//===----------------------------------------------------------------------===//
#include "train/run/Resume.h"

#include "train/state/io/Json.h"

using namespace zrt;
using nlohmann::json;

namespace {

constexpr const char *kText = "text", *kInputs = "inputs",
                     *kDropout = "--dropout";

std::string valueOf(const json &object, const std::string &key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

/// Whether both have the same text of this key.
bool haveSame(const json &now, const json &was, const char *key) {
  return !valueOf(now, key).empty() && valueOf(now, key) == valueOf(was, key);
}

/// What differs, and of how many keys.
struct KeyChanges {
  std::vector<std::string> changes; ///< of the function
  std::string dropout;
  size_t keys = 0;
};

KeyChanges compareKeys(const json &now, const json &was) {
  KeyChanges found;
  for (const auto &[key, value] : now.items()) {
    if (key == kText || key == kInputs || !was.contains(key))
      continue;
    ++found.keys;
    if (value == was[key])
      continue;
    const std::string text =
        fmt::format("{} is {}, and was {}", shown(key),
                    shown(valueOf(now, key)), shown(valueOf(was, key)));
    if (key == kDropout)
      found.dropout = text;
    else
      found.changes.push_back(text);
  }
  return found;
}

} // namespace

void zrt::compareFunctions(const json &now, const json &was,
                           const std::string &model, bool mayBeOther,
                           Resumed &resumed) {
  if (now.empty() || was.empty()) {
    resumed.warnings.push_back(fmt::format(
        "{} does not say what its model computes, as an older zeroc wrote it; "
        "that {} is the same function, and not only of the same parameters, is "
        "not checked",
        was.empty() ? resumed.path : "this program", model));
    return;
  }
  if (haveSame(now, was, kText))
    return;
  KeyChanges found = compareKeys(now, was);
  const bool isOfBatch = haveSame(now, was, kInputs);
  if (found.keys == 0 && isOfBatch)
    found.changes.push_back(
        "its text is another, and has no keys that say in what");
  if (!found.changes.empty() && !mayBeOther)
    fail("{} is of a run of another function than {}: {}; go on with the model "
         "that it had, or with this one by --resume-other-model",
         resumed.path, model, fmt::join(found.changes, "; "));
  for (const std::string &change : found.changes)
    resumed.notes.push_back(change + " until the checkpoint");
  if (!found.dropout.empty())
    resumed.notes.push_back(found.dropout + " until the checkpoint");
  else if (found.changes.empty() && isOfBatch)
    resumed.warnings.push_back(fmt::format(
        "the text of {} is another than that of the run of {}, whose keys are "
        "all the same: it was edited, or another zeroc imported it",
        model, resumed.path));
  else if (found.keys == 0 && !isOfBatch)
    resumed.notes.push_back(fmt::format(
        "whether {} is the function that the run had is not "
        "checked: it is for {}, and was for {}",
        model, shown(valueOf(now, kInputs)), shown(valueOf(was, kInputs))));
}
