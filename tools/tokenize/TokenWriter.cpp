//===- TokenWriter.cpp - Writes ids to a file for --data ------------------===//
#include "tools/tokenize/TokenWriter.h"

#include "runtime/Bytes.h"
#include "runtime/Error.h"
#include "runtime/io/OwnFiles.h"
#include "runtime/io/TokenData.h"

#include <array>
#include <cstring>

using namespace zrt;

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr uint64_t kNarrow = uint64_t{1} << 16;

} // namespace

bool zrt::isTokenFileName(const std::string &path) {
  return path.ends_with(".bin") || path.ends_with(".u16") ||
         path.ends_with(".u32");
}

TokenWriter::TokenWriter(const std::string &aPath, uint64_t aVocabulary)
    : path(aPath), vocabulary(aVocabulary), hasHeader(path.ends_with(".bin")),
      isWide(path.ends_with(".u32") || (hasHeader && vocabulary > kNarrow)),
      file(path) {
  if (!isWide && vocabulary > kNarrow)
    fail("ids up to {} do not fit into the uint16 of {}; name it .u32 or .bin",
         withCommas(vocabulary - 1), path);
  if (hasHeader)
    writeHeader(0); // replaced when they are counted
}

const char *TokenWriter::formatName() const {
  return hasHeader ? isWide ? "llm.c uint32" : "llm.c uint16"
         : isWide  ? "raw uint32"
                   : "raw uint16";
}

void TokenWriter::writeHeader(uint64_t tokens) {
  std::array<int32_t, kLlmcHeaderBytes / sizeof(int32_t)> header = {};
  header[0] = isWide ? kLlmcMagic32 : kLlmcMagic16;
  header[1] = isWide ? kLlmcVersion32 : kLlmcVersion16;
  header[2] = int32_t(tokens);
  kTokensFile.marks[0].copy(reinterpret_cast<char *>(&header[4]), 16);
  if (tokens == 0)
    file.write(header.data(), kLlmcHeaderBytes);
  else
    file.overwrite(0, header.data(), kLlmcHeaderBytes);
}

void TokenWriter::add(std::span<const uint32_t> ids) {
  for (const uint32_t id : ids) {
    if (id >= vocabulary)
      fail("the tokenizer gives {}, beyond its vocabulary of {}", id,
           vocabulary);
    const size_t at = buffer.size(), width = isWide ? 4 : 2;
    buffer.resize(at + width);
    std::memcpy(&buffer[at], &id, width); // little-endian
  }
  count += ids.size();
  if (hasHeader && count > INT32_MAX)
    fail("the header of {} counts up to {} tokens, and there are more; name it "
         "{}",
         path, withCommas(INT32_MAX), isWide ? ".u32" : ".u16");
  if (buffer.size() >= kBufferBytes)
    flush();
}

void TokenWriter::flush() {
  file.write(buffer.data(), buffer.size());
  buffer.clear();
}

void TokenWriter::finish() {
  flush();
  if (hasHeader)
    writeHeader(count);
  file.commit();
}
