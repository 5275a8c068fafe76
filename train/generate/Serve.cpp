//===- Serve.cpp - Answers lines of requests ------------------------------===//
#include "train/generate/Serve.h"

#include "runtime/text/Bytes.h"
#include "train/generate/Requests.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

using namespace zrt;

namespace {

/// With so many requests that have no slot, no more lines are read.
constexpr size_t kMostWaiting = 4096;

class Server {
public:
  Server(Decoder &decoder, const std::vector<int32_t> &endIds)
      : limits{decoder.positions(), decoder.tokenBound()},
        engine(decoder, endIds) {}

  /// Obeys a line; returns the line of an error, or "".
  std::string take(const std::string &line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      return "";
    if (const size_t longest = longestRequest(limits.positions);
        line.size() > longest)
      return errorLine(
          std::nullopt,
          fmt::format("a line has more than {}, the most of a request of {} "
                      "tokens; give it fewer",
                      shownBytes(longest), withCommas(limits.positions)));
    try {
      auto parsed = parseRequest(line, limits);
      if (const auto *stopped = std::get_if<StopRequest>(&parsed)) {
        engine.stop(stopped->id);
        return "";
      }
      auto &request = std::get<Request>(parsed);
      if (engine.has(request.id))
        return errorLine(std::nullopt,
                         fmt::format("\"id\" {} is that of a request that has "
                                     "not ended; give it another",
                                     request.id));
      engine.add(std::move(request));
      return "";
    } catch (const RequestError &error) {
      return errorLine(error.id, error.what());
    }
  }

  /// The lines of what has happened.
  std::string answers() {
    std::string text;
    for (const Event &event : engine.takeEvents())
      text += lineOf(event) + '\n';
    return text;
  }

  bool isIdle() const { return engine.isIdle(); }
  bool isFull() const { return engine.waiting() >= kMostWaiting; }
  void round() { engine.round(); }

private:
  const RequestLimits limits;
  Engine engine;
};

} // namespace

size_t zrt::longestRequest(size_t positions) {
  // A token has 10 digits, a comma and a space; the other fields are short.
  return 12 * positions + (size_t{1} << 16);
}

bool DescriptorLines::read(std::vector<std::string> &lines, int wait) {
  const size_t before = lines.size();
  for (;;) {
    pollfd reader = {descriptor, POLLIN, 0};
    const int ready = poll(&reader, 1, lines.size() == before ? wait : 0);
    if (ready == 0)
      return true;
    char bytes[1 << 16];
    const ssize_t count =
        ready < 0 ? -1 : ::read(descriptor, bytes, sizeof(bytes));
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (count < 0)
      fail("cannot read the requests: {}", errnoText());
    if (count == 0) {
      if (!begun.empty())
        lines.push_back(std::exchange(begun, ""));
      return false;
    }
    take(bytes, size_t(count), lines);
    // So that one who writes without a pause is answered.
    if (lines.size() - before >= kMostWaiting)
      return true;
  }
}

void DescriptorLines::take(const char *bytes, size_t count,
                           std::vector<std::string> &lines) {
  for (const char *end = bytes + count; bytes != end;) {
    const char *newline = std::find(bytes, end, '\n');
    const size_t room = longest + 1 - begun.size();
    begun.append(bytes, std::min(size_t(newline - bytes), room));
    if (newline == end)
      return;
    lines.push_back(std::exchange(begun, ""));
    bytes = newline + 1;
  }
}

void zrt::serve(Decoder &decoder, const std::vector<int32_t> &endIds,
                Lines &lines,
                const std::function<bool(const std::string &)> &write) {
  Server server(decoder, endIds);
  bool mayCome = true;
  while (mayCome || !server.isIdle()) {
    std::string answer;
    if (mayCome && !server.isFull()) {
      std::vector<std::string> taken;
      mayCome = lines.read(taken, server.isIdle() ? -1 : 0);
      for (const std::string &line : taken)
        if (const std::string error = server.take(line); !error.empty())
          answer += error + '\n';
    }
    // Answers a bad line, or a stop, before a round.
    answer += server.answers();
    if (!answer.empty() && !write(answer))
      return;
    server.round();
    answer = server.answers();
    if (!answer.empty() && !write(answer))
      return;
  }
}
