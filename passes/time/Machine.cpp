//===- Machine.cpp - Reads machine files ----------------------------------===//

#include "passes/time/Machine.h"

#include "dialect/zero/Work.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;

namespace {

/// Reads the fields of an object; keeps the first error.
class Fields {
public:
  Fields(const llvm::json::Object &object, StringRef file, std::string where)
      : object(object), file(file), where(std::move(where)) {}

  void count(StringRef key, int64_t &value, int64_t least) {
    auto given = object.getInteger(key);
    if (!given || *given < least)
      fail(key, ("an integer of at least " + Twine(least)).str());
    else
      value = *given;
  }
  void number(StringRef key, double &value) {
    if (!object.get(key))
      return;
    auto given = object.getNumber(key);
    if (!given || !(*given >= 0) || !std::isfinite(*given))
      fail(key, "a number, 0 or more");
    else
      value = *given;
  }
  void text(StringRef key, std::string &value) {
    if (auto given = object.getString(key))
      value = given->str();
    else
      fail(key, "a string");
  }
  void fail(StringRef key, StringRef what) {
    if (!error)
      error = llvm::formatv("{0}: {1}{2} must be {3}", file, where, key, what);
  }
  llvm::Error take() {
    return error ? createStringError(*error) : llvm::Error::success();
  }

  const llvm::json::Object &object;

private:
  StringRef file;
  std::string where;
  std::optional<std::string> error;
};

} // namespace

/// Reads {"kind": number}.
static llvm::Error readSeconds(const llvm::json::Object &object, StringRef file,
                               std::map<std::string, double> &seconds) {
  for (const auto &[kind, value] : object) {
    auto number = value.getAsNumber();
    if (!number || !(*number >= 0) || !std::isfinite(*number))
      return createStringError(file + ": the seconds of " + StringRef(kind) +
                               " must be a number, 0 or more");
    seconds[kind.str()] = *number;
  }
  return llvm::Error::success();
}

llvm::Expected<Machine> Machine::read(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read " + path + ": " +
                             buffer.getError().message());
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return createStringError(
        path + " is not JSON: " + llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  if (!object)
    return createStringError(path + " is no machine file, an object; zeroc "
                                    "calibrate writes one");
  Machine machine;
  machine.file = path.str();
  Fields fields(*object, path, "");
  fields.text("machine", machine.name);
  if (object->get("target"))
    fields.text("target", machine.target);
  fields.count("cores", machine.cores, 1);
  fields.count("cache_bytes", machine.cacheBytes, 0);
  if (object->get("device_bytes"))
    fields.count("device_bytes", machine.deviceBytes, 1);
  fields.number("watts", machine.watts);
  fields.number("dollars_per_hour", machine.dollarsPerHour);
  const llvm::json::Array *layouts = object->getArray("layouts");
  if (!layouts || layouts->empty())
    fields.fail("layouts", "a list of at least one layout");
  if (llvm::Error error = fields.take())
    return error;
  for (const auto &[key, value] : *object)
    if (!llvm::is_contained({"machine", "target", "cores", "cache_bytes",
                             "device_bytes", "watts", "dollars_per_hour",
                             "seconds", "layouts", "sources"},
                            StringRef(key)))
      return createStringError(path + ": " + StringRef(key) +
                               " is no field of a machine file");
  if (object->get("seconds") && !object->getObject("seconds"))
    return createStringError(path + ": seconds must be an object");
  std::map<std::string, double> common;
  if (const llvm::json::Object *seconds = object->getObject("seconds"))
    if (llvm::Error error = readSeconds(*seconds, path, common))
      return error;
  for (const llvm::json::Value &value : *layouts) {
    const llvm::json::Object *one = value.getAsObject();
    const llvm::json::Object *seconds =
        one ? one->getObject("seconds") : nullptr;
    if (!seconds)
      return createStringError(
          path + ": each of layouts must be an object with \"seconds\"");
    Layout layout;
    layout.seconds = common;
    Fields inner(*one, path, "layouts: ");
    inner.count("ranks", layout.ranks, 1);
    inner.count("threads", layout.threads, 1);
    inner.number("error", layout.error);
    inner.number("waiting", layout.waiting);
    if (llvm::Error error = inner.take())
      return error;
    if (llvm::Error error = readSeconds(*seconds, path, layout.seconds))
      return error;
    machine.layouts.push_back(std::move(layout));
  }
  return machine;
}

/// What a byte from another host takes of a core.
static double ofNetworkByte(const Machine::Layout &layout) {
  auto known = layout.seconds.find("network.byte");
  return known == layout.seconds.end() ? 0 : known->second;
}

double Machine::Layout::coreOfNetwork() const {
  return std::min(network * ofNetworkByte(*this), 1.0);
}

std::optional<double> Machine::Layout::find(StringRef kind) const {
  if (kind.ends_with(kMemberByte)) { // not over the network
    if (std::optional<double> own = findHere(kind))
      return own;
    kind.consume_back(kMemberByte);
    return findHere((kind + ".byte").str());
  }
  if (network > 0 && kind.ends_with(".byte") &&
      (kind.starts_with("all_") || kind.starts_with("reduce_")))
    return std::max(1 / network, ofNetworkByte(*this));
  return findHere(kind);
}

std::optional<double> Machine::Layout::findHere(StringRef kind) const {
  const StringRef rest = kind.split('.').second, last = kind.rsplit('.').second;
  StringRef other = kind;
  other.consume_front("grouped_") || other.consume_front("library_");
  std::string like = other.str();
  if (other.consume_front("all_to_all"))
    like = "all_gather" + other.str();
  for (const std::string &name :
       {kind.str(), like, "*." + rest.str(), "*." + last.str()})
    if (auto known = seconds.find(name); known != seconds.end())
      return known->second;
  return std::nullopt;
}

llvm::Expected<const Machine::Layout *> Machine::find(int64_t ranks,
                                                      int64_t threads) const {
  if (target != "cpu") {
    if (threads)
      return createStringError(file + " is of GPUs, which have no threads of "
                                      "ranks; drop --threads-per-rank");
    const Layout *best = nullptr;
    for (const Layout &layout : layouts)
      if (layout.ranks >= ranks && (!best || layout.ranks < best->ranks))
        best = &layout;
    if (best)
      return best;
    int64_t most = 0;
    for (const Layout &layout : layouts)
      most = std::max(most, layout.ranks);
    return createStringError(file + " is for at most " + Twine(most) +
                             " ranks, got " + Twine(ranks));
  }
  if (!threads)
    threads = std::max<int64_t>(cores / ranks, 1);
  std::string known;
  for (const Layout &layout : layouts) {
    if (layout.ranks == ranks && layout.threads == threads)
      return &layout;
    known += llvm::formatv("{0}{1} x {2}", known.empty() ? "" : ", ",
                           layout.ranks, layout.threads);
  }
  return createStringError(llvm::formatv(
      "{0} has no times of {1} ranks with {2} threads each, but of ranks x "
      "threads {3}; measure them: zeroc calibrate --ranks={1} --threads={2}",
      file, ranks, threads, known));
}

llvm::Expected<double> zero::getSeconds(const Machine::Layout &layout,
                                        const Work &work, StringRef file) {
  double sum = 0;
  for (const auto &[kind, amount] : work) {
    if (std::optional<double> unit = layout.find(kind))
      sum += amount * *unit;
    else if (amount > 0)
      return createStringError(file + " has no time of " + kind +
                               "; measure it with zeroc calibrate, or add it");
  }
  return sum;
}
