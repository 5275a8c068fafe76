//===- CertificateJson.cpp - The certificate as a JSON object -------------===//
//
// For programs: the keys are stable, bytes are integers, and values that the
// text omits if they are 0 are included.  docs/plan.md lists the keys.
//
//===----------------------------------------------------------------------===//

#include "passes/certify/Certificate.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::zero;
namespace json = llvm::json;

/// "optimizer state" as a key, "optimizer_state".
static std::string toKey(StringRef name) {
  std::string key = name.str();
  llvm::replace(key, ' ', '_');
  return key;
}

/// Names come from the user and may contain any bytes.
static std::string toText(StringRef name) { return json::fixUTF8(name); }

static void print(json::OStream &out, StringRef tier,
                  const Certificate::Arena &arena) {
  out.object([&] {
    out.attribute("tier", tier);
    out.attribute("bytes", arena.size);
    out.attributeObject("categories", [&] {
      for (auto [name, bytes] : arena.getCategories())
        out.attribute(toKey(name), bytes);
    });
    out.attributeObject("peak", [&] {
      out.attribute("bytes", arena.peak);
      out.attribute("at", toText(arena.peakAt));
      for (auto [key, buffers] : {std::pair{"largest", &arena.largest},
                                  {"gathered", &arena.gathered}})
        out.attributeArray(key, [&, buffers = buffers] {
          for (const Certificate::Arena::Live &live : *buffers)
            out.object([&] {
              out.attribute("name", toText(live.name));
              out.attribute("bytes", live.bytes);
            });
        });
    });
  });
}

std::string Certificate::toJson() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("format", 1);
    out.attribute("model", toText(model));
    out.attribute("options", toText(options));
    out.attribute("stage", stage);
    out.attribute("ranks", ranks);
    if (group)
      out.attribute("group", group);
    if (context > 1)
      out.attribute("context", context);
    out.attribute("micro_steps", microSteps);
    out.attribute("parameters", parameterCount);
    out.attributeArray("arenas", [&] {
      for (const auto &[tier, prefix, arena] : getArenasInUse())
        ::print(out, tier, *arena);
    });
    out.attributeObject("model_state", [&] {
      for (const Term &term : modelState)
        out.attributeObject(toKey(term.name), [&] {
          out.attribute("held", term.held);
          out.attribute("whole", term.whole);
          out.attribute("sharded", term.sharded);
          if (group)
            out.attribute("grouped", term.grouped);
          out.attribute("padding", getPadding(term));
        });
    });
    out.attributeObject("wire", [&] {
      for (const Wire &each : wire)
        out.attributeObject(each.name, [&] {
          out.attribute("calls", each.calls);
          out.attribute("bytes", each.bytes);
        });
    });
    out.attributeObject("links", [&] {
      for (const Link &link : links)
        out.attribute(link.name, link.bytes);
    });
    out.attributeObject("flops", [&] {
      out.attribute("model", flops.model);
      out.attribute("executed", flops.executed);
    });
    out.attribute("evaluation", evaluation);
    out.attribute("generation", generation);
    out.attributeObject("checkpoint", [&] {
      out.attribute("in_memory", checkpoint.inMemory);
      out.attribute("on_nvme", checkpoint.onNvme);
      out.attribute("copies", checkpoint.copies);
      out.attribute("copies_with_frozen", wholeCheckpoint.copies);
    });
    if (time)
      out.attributeObject("time", [&] {
        out.attribute("simulated_on", toText(time->machine));
        out.attribute("seconds", time->seconds);
        out.attribute("error", time->error);
        out.attribute("joules", time->joules);
        out.attribute("dollars", time->dollars);
      });
    out.attributeArray("outside", [&] {
      for (const std::string &what : outside)
        out.value(toText(what));
    });
  });
  out.flush();
  os << '\n';
  return text;
}
