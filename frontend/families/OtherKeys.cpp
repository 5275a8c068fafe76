//===- OtherKeys.cpp - Refuses keys of other families ---------------------===//
//
// A config may hold a key that affects only another family, which transformers
// ignores.  Its author meant something, so zeroc fails unless the value has no
// effect: null, false, 0, an empty value, or the neutral value of the key.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {
struct OtherKey {
  StringLiteral name;
  /// A value without effect, as JSON.
  StringLiteral neutral;
};
} // namespace

static constexpr OtherKey kKeys[] = {
#define FAMILY_KEY(KEY, NEUTRAL) {KEY, NEUTRAL},
#include "frontend/families/Families.def"
};

/// Returns true if all layers have full attention.
static bool isFullAttention(ConfigFile &file) {
  return llvm::all_of(file.strings("layer_types"), [](const std::string &type) {
    return type == "full_attention";
  });
}

void frontend::refuseOtherKeys(ConfigFile &file, StringRef modelType) {
  auto refuse = [&](StringRef name) {
    file.fail(name + " is " + file.shown(name) + ", but models of model_type " +
              modelType +
              " have no such key; remove it, or set model_type to what has it");
  };
  for (const OtherKey &key : kKeys) {
    if (file.wasRead(key.name) || file.isEmpty(key.name))
      continue;
    std::string value = file.shown(key.name);
    bool saysNothing = value == "false" || value == "0" || value == "0.0" ||
                       value == key.neutral || value + ".0" == key.neutral;
    if (!saysNothing)
      refuse(key.name);
  }
  if (!file.wasRead("layer_types") && !isFullAttention(file))
    refuse("layer_types");
}
