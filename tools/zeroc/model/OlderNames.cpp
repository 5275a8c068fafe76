//===- OlderNames.cpp - Names in plans of older builds --------------------===//
#include "tools/zeroc/model/OlderNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace {
struct Renamed {
  StringRef before, now;
  StringRef needs = {}; ///< in its line, where the older name has a use now
};
} // namespace

static constexpr Renamed kRenamed[] = {
    {"zero.dequantize", "zero.unpack", " as <"},
    {"zero.pack", "zero.flatten"},
    {"zero.narrow", "zero.quantize"},
    {"zero.widen", "zero.dequantize"},
    {"!zero.block", "!zero.quantized_block"}};

/// Where `name` begins in `line` as a whole word, at `from` or later.
static size_t findName(StringRef line, StringRef name, size_t from) {
  for (size_t at = from; (at = line.find(name, at)) != StringRef::npos; ++at) {
    StringRef rest = line.drop_front(at + name.size());
    if (rest.empty() || !(isAlnum(rest.front()) || rest.front() == '_'))
      return at;
  }
  return StringRef::npos;
}

static std::string renameIn(StringRef line) {
  std::string text = line.str();
  for (const Renamed &name : kRenamed) {
    if (!StringRef(text).contains(name.needs))
      continue;
    for (size_t at = 0;
         (at = findName(text, name.before, at)) != StringRef::npos;
         at += name.now.size())
      text.replace(at, name.before.size(), name.now);
  }
  return text;
}

std::unique_ptr<MemoryBuffer>
mlir::zero::replaceOlderNames(std::unique_ptr<MemoryBuffer> text) {
  const auto isOlder = [&](const Renamed &name) {
    return findName(text->getBuffer(), name.before, 0) != StringRef::npos;
  };
  if (none_of(kRenamed, isOlder))
    return text;
  std::string now;
  for (StringRef line : split(text->getBuffer(), '\n'))
    now += renameIn(line) + "\n";
  now.pop_back();
  return MemoryBuffer::getMemBufferCopy(now, text->getBufferIdentifier());
}
