//===- Encoder.cpp - Encodes pieces of documents as ids -------------------===//
//
// The process reads and writes one socket, numbers as little-endian uint32:
//
//   ->                                           at the start: the arguments
//   <- 0, vocabulary, separator or 2^32 - 1      or 1 and an error message
//   -> number of pieces; length and bytes of
//      each
//   <- 0, how often the pieces contain a         or 1 and an error message,
//      special token's text as ordinary text,    or 2, the number of a piece
//      one such text, the count of ids of each   and an error message
//      piece, the ids
//   -> end of file                               the process ends
//
// It answers after reading a whole request, so there is no deadlock.
//
//===----------------------------------------------------------------------===//
#include "tools/tokenize/Encoder.h"

#include "runtime/Error.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace zrt;

namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// Parses `text` as a number below 2^32 - 1.
std::optional<uint32_t> numberOf(const std::string &text) {
  uint32_t number = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number == kNone)
    return std::nullopt;
  return number;
}

class BytesEncoder final : public Encoder {
public:
  explicit BytesEncoder(const std::optional<std::string> &text) {
    if (!text)
      return;
    end = numberOf(*text);
    if (!end)
      fail("--separator must be the number of a token with --bytes, got {}",
           shown(*text));
  }

  uint64_t vocabulary() const override {
    return std::max<uint64_t>(256, end ? uint64_t{*end} + 1 : 0);
  }
  std::optional<uint32_t> separator() const override { return end; }

  Encoded encode(const std::vector<Piece> &pieces) override {
    Encoded encoded;
    for (const Piece &piece : pieces) {
      encoded.counts.push_back(uint32_t(piece.text.size()));
      for (const char byte : piece.text)
        encoded.ids.push_back(static_cast<unsigned char>(byte));
    }
    return encoded;
  }

private:
  std::optional<uint32_t> end;
};

/// The Python that has the packages: of PATH, or that of ZEROC_PYTHON.
std::string python() {
  const char *named = std::getenv("ZEROC_PYTHON");
  return named && *named ? named : "python3";
}

class ProcessEncoder final : public Encoder {
public:
  ProcessEncoder(const std::string &script, const std::string &tokenizer,
                 const std::optional<std::string> &separator,
                 bool hasSpecialTokens) {
    start({python(), script, tokenizer, separator.value_or(""),
           hasSpecialTokens ? "1" : "0"});
    if (receiveNumber() != 0)
      fail("{}", receiveText());
    limit = receiveNumber();
    if (const uint32_t id = receiveNumber(); id != kNone)
      end = id;
  }

  ~ProcessEncoder() override {
    if (socket >= 0)
      close(socket); // ends the process
    if (process > 0)
      waitpid(process, nullptr, 0);
  }

  uint64_t vocabulary() const override { return limit; }
  std::optional<uint32_t> separator() const override { return end; }

  Encoded encode(const std::vector<Piece> &pieces) override {
    Encoded encoded;
    if (pieces.empty())
      return encoded;
    sendNumber(uint32_t(pieces.size()));
    for (const Piece &piece : pieces) {
      sendNumber(uint32_t(piece.text.size()));
      send(piece.text.data(), piece.text.size());
    }
    if (const uint32_t status = receiveNumber(); status == 1) {
      fail("{}", receiveText());
    } else if (status == 2) {
      const uint32_t piece = receiveNumber();
      fail("{} {}", pieces.at(piece).place, receiveText());
    }
    encoded.specials = receiveNumber();
    encoded.special = receiveText();
    uint64_t all = 0;
    encoded.counts.resize(pieces.size());
    receive(encoded.counts.data(), encoded.counts.size() * sizeof(uint32_t));
    for (const uint32_t count : encoded.counts)
      all += count;
    encoded.ids.resize(all);
    receive(encoded.ids.data(), all * sizeof(uint32_t));
    return encoded;
  }

private:
  void start(std::vector<std::string> arguments) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      fail("cannot make a socket: {}", errnoText());
    socket = ends[0];
    std::vector<char *> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string &argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(&process, argv[0], &actions, nullptr,
                                   argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
      process = -1;
      fail("cannot run {}, which tokenizers need: {}; install it, or use "
           "--bytes",
           python(), errnoText(error));
    }
  }

  [[noreturn]] void failEnded() const {
    fail("the tokenizer's process ({}) has ended; what it said is above",
         python());
  }
  void send(const void *data, size_t size) const {
    const auto *from = static_cast<const char *>(data);
    while (size > 0) {
      const ssize_t sent = ::send(socket, from, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR)
        continue;
      if (sent <= 0)
        failEnded();
      from += sent;
      size -= size_t(sent);
    }
  }
  void receive(void *data, size_t size) const {
    auto *to = static_cast<char *>(data);
    while (size > 0) {
      const ssize_t got = recv(socket, to, size, 0);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        failEnded();
      to += got;
      size -= size_t(got);
    }
  }
  void sendNumber(uint32_t number) const { send(&number, sizeof(number)); }
  uint32_t receiveNumber() const {
    uint32_t number = 0;
    receive(&number, sizeof(number));
    return number;
  }
  std::string receiveText() const {
    std::string text(receiveNumber(), '\0');
    receive(text.data(), text.size());
    return text;
  }

  int socket = -1;
  pid_t process = -1;
  uint32_t limit = 0;
  std::optional<uint32_t> end;
};

} // namespace

std::unique_ptr<Encoder>
zrt::bytesEncoder(const std::optional<std::string> &separator) {
  return std::make_unique<BytesEncoder>(separator);
}

std::unique_ptr<Encoder>
zrt::processEncoder(const std::string &script, const std::string &tokenizer,
                    const std::optional<std::string> &separator,
                    bool hasSpecialTokens) {
  return std::make_unique<ProcessEncoder>(script, tokenizer, separator,
                                          hasSpecialTokens);
}
