//===- DeepSpeedPrecision.cpp - Types, and the loss scale -----------------===//

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir::zero::deepspeed;
using namespace llvm;

void Mapping::mapPrecision() {
  bool bf16 = file.flag("bf16.enabled").value_or(false),
       fp16 = file.flag("fp16.enabled").value_or(false);
  if (bf16 && fp16)
    file.refuse("\"bf16.enabled\" and \"fp16.enabled\" are both true; keep "
                "one of them");
  for (StringRef type : {"bf16", "fp16"})
    if (file.isOff(type) && given.precision == type)
      file.refuse("\"" + type +
                  ".enabled\" is false, and the command line has "
                  "--precision=" +
                  type + "; drop one of them");
  if (bf16)
    add("--precision", "bf16", "bf16.enabled");
  if (fp16)
    add("--precision", "fp16", "fp16.enabled");
  precision = bf16 ? "bf16" : fp16 ? "fp16" : given.precision.value_or("fp32");
  if (std::optional<bool> checks = file.flag("bf16.check_grad_overflow"))
    add("--skip-nonfinite", *checks ? "on" : "off", "bf16.check_grad_overflow");
  StringRef master = "bf16.bf16_master_weights_and_grads",
            states = "bf16.bf16_optimizer_states";
  if (std::optional<bool> halves = file.flag(master)) {
    add("--master", *halves ? "none" : "f32", master);
    if (*halves) {
      add("--grad-dtype", "bf16", master);
      file.addNote(master, "updates of bf16 round by chance, where DeepSpeed's "
                           "round to nearest");
    }
  }
  if (std::optional<bool> halves = file.flag(states))
    add("--state-dtype", *halves ? "bf16" : "f32", states);
  mapLossScale();
  mapGradientTypes();
}

void Mapping::mapLossScale() {
  if (precision != "fp16")
    return;
  if (std::optional<double> scale = file.number("fp16.loss_scale"))
    train("--loss-scale", *scale == 0 ? "dynamic" : showNumber(*scale));
}

/// Returns the name of a type in --grad-dtype, or "".
static StringRef asType(StringRef name) {
  name.consume_front("torch.");
  return llvm::StringSwitch<StringRef>(name.lower())
      .Cases({"fp32", "float32", "float"}, "f32")
      .Cases({"fp16", "float16", "half"}, "fp16")
      .Cases({"bf16", "bfloat16"}, "bf16")
      .Default("");
}

/// By default gradients are communicated in the type of parameters, and sums
/// over micro-steps are f32.
void Mapping::mapGradientTypes() {
  StringRef wire = "communication_data_type",
            sum = "data_types.grad_accum_dtype";
  std::string own = precision == "fp32" ? "f32" : precision;
  std::string types[2];
  for (auto [path, type] : {std::pair{wire, &types[0]}, {sum, &types[1]}}) {
    std::optional<std::string> name = file.text(path);
    if (!name)
      continue;
    *type = asType(*name).str();
    if (type->empty())
      file.refuse(file.quote(path) + " must be fp32, bf16 or fp16");
    else if (*type != "f32" && *type != own)
      file.refuse(file.quote(path) + ", but parameters are " + own +
                  ", and gradients are f32 or what parameters are; set it to "
                  "fp32, or drop it");
  }
  // The former name of "communication_data_type".
  if (std::optional<bool> isWide = file.flag("fp32_allreduce")) {
    if (*isWide && types[0].empty()) {
      types[0] = "f32";
      wire = "fp32_allreduce";
    } else if (*isWide && types[0] != "f32") {
      return file.refuse(file.quote("fp32_allreduce") + " and " +
                         file.quote(wire) + "; drop one of them");
    } else {
      file.addSame("fp32_allreduce");
    }
  }
  const auto &[travel, sums] = types;
  if (!travel.empty() && !sums.empty() && sums != "f32" && travel != sums)
    return file.refuse(file.quote(wire) + " and " + file.quote(sum) +
                       ": gradients that travel as f32 are added up as f32; "
                       "set both to one type");
  if (!sums.empty() && (sums != "f32" || own == "f32"))
    return add("--grad-dtype", sums, sum);
  if (!sums.empty())
    file.addSame(sum);
  if (travel == "f32")
    add("--grad-dtype", "f32", wire);
  else if (!travel.empty())
    file.addSame(wire);
}
