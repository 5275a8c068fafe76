//===- Tokenize.cpp - Converts documents to a file of tokens --------------===//
#include "tools/tokenize/Tokenize.h"

#include "runtime/Bytes.h"
#include "runtime/Error.h"
#include "runtime/io/OutputPath.h"
#include "tools/tokenize/DocumentReader.h"
#include "tools/tokenize/Encoder.h"
#include "tools/tokenize/TokenWriter.h"

using namespace zrt;

namespace {

/// The largest batch that an encoder gets.
constexpr size_t kBatchBytes = size_t{2} << 20, kBatchPieces = 4096;

class Tokenizing {
public:
  explicit Tokenizing(const TokenizeRequest &request)
      : request(request),
        encoder(request.tokenizer.empty()
                    ? bytesEncoder(request.separator)
                    : processEncoder(request.script, request.tokenizer,
                                     request.separator, request.specialTokens)),
        writer(request.output, encoder->vocabulary()) {}

  TokenizeResult run() {
    for (const std::string &file : request.files)
      read(file);
    encode();
    if (documents == 0)
      fail("there is no text in {}", fmt::join(request.files, ", "));
    writer.finish();
    return {"",
            fmt::format("{}: {} document{}, {} tokens of {} bytes of text, {}",
                        request.output, withCommas(documents),
                        documents == 1 ? "" : "s", withCommas(writer.tokens()),
                        withCommas(bytes), writer.formatName()),
            warning()};
  }

private:
  std::string warning() const {
    if (specials == 0)
      return "";
    return fmt::format(
        "the texts have {} string{} like {}, which {} of the tokenizer and {} "
        "written as ordinary text; with --special-tokens each is its token",
        withCommas(specials), specials == 1 ? "" : "s", special,
        specials == 1 ? "is a special token" : "are special tokens",
        specials == 1 ? "is" : "are");
  }

  void read(const std::string &file) {
    DocumentReader reader(file, request.field,
                          /*anywhere=*/request.tokenizer.empty());
    Piece piece;
    while (reader.next(piece)) {
      held += piece.text.size();
      documents += piece.endsDocument;
      batch.push_back(std::move(piece));
      if (held >= kBatchBytes || batch.size() >= kBatchPieces)
        encode();
    }
  }

  void encode() {
    const Encoded encoded = encoder->encode(batch);
    if (specials == 0)
      special = encoded.special;
    specials += encoded.specials;
    const uint32_t *next = encoded.ids.data();
    for (size_t i = 0; i < batch.size(); ++i) {
      writer.add({next, encoded.counts[i]});
      next += encoded.counts[i];
      if (const auto separator = encoder->separator();
          separator && batch[i].endsDocument)
        writer.add({&*separator, 1});
    }
    bytes += held;
    held = 0;
    batch.clear();
  }

  const TokenizeRequest &request;
  const std::unique_ptr<Encoder> encoder;
  TokenWriter writer;
  std::vector<Piece> batch;
  size_t held = 0; ///< bytes of the batch
  uint64_t documents = 0, bytes = 0, specials = 0;
  std::string special; ///< the first of `specials`
};

} // namespace

TokenizeResult zrt::tokenize(const TokenizeRequest &request) {
  try {
    return Tokenizing(request).run();
  } catch (const std::bad_alloc &) {
    return {"out of memory", "", ""};
  } catch (const std::exception &error) {
    return {error.what(), "", ""};
  }
}
