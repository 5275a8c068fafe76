//===- Short.cpp - A fuzzer's short run for the test suite ----------------===//
//
//   fuzz_NAME_short CORPUS MUTATIONS
//
// Runs a fuzzer on every seed, then on mutations of them.  Their random numbers
// are the same everywhere, so a failure can be repeated: if a mutation ends the
// process, its number is printed, and
//
//   fuzz_NAME_short CORPUS MUTATIONS NUMBER > FILE
//
// writes that input, which the libFuzzer version can run.
//
//===----------------------------------------------------------------------===//
#include "Dice.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

using fuzz::Dice;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

/// Inputs are shorter than this, so that each one is quick.
constexpr size_t kMaxBytes = size_t{1} << 16;

void mutateOnce(std::string &text, const std::vector<std::string> &seeds,
                Dice &dice) {
  static constexpr const char *kTokens[] = {"0",
                                            "-1",
                                            "18446744073709551615",
                                            "9223372036854775808",
                                            "1e999",
                                            "null",
                                            "true",
                                            "{}",
                                            "[]",
                                            "\"\"",
                                            "[[",
                                            "{\"",
                                            "\\u0000",
                                            "\xff",
                                            "\\ud800"};
  const size_t at = dice.below(text.size() + 1);
  const size_t length = std::min(text.size() - at, size_t{1} << dice.below(8));
  switch (dice.below(8)) {
  case 0: // a bit
    if (at < text.size())
      text[at] = static_cast<char>(text[at] ^ (1 << dice.below(8)));
    return;
  case 1: // a byte
    if (at < text.size())
      text[at] = static_cast<char>(dice.below(256));
    return;
  case 2:
    text.erase(at, length);
    return;
  case 3: // copied to another place
    text.insert(dice.below(text.size() + 1), text.substr(at, length));
    return;
  case 4: { // repeated
    const std::string part = text.substr(at, std::min<size_t>(length, 8));
    for (size_t i = dice.below(200); i > 0; --i)
      text.insert(at, part);
    return;
  }
  case 5:
    text.insert(at, kTokens[dice.below(std::size(kTokens))]);
    return;
  case 6: { // the end of another seed
    const std::string &other = seeds[dice.below(seeds.size())];
    text = text.substr(0, at) + other.substr(dice.below(other.size() + 1));
    return;
  }
  case 7:
    text.resize(at);
    return;
  }
}

std::string mutation(const std::vector<std::string> &seeds, uint64_t number) {
  Dice dice(number);
  std::string text = seeds[dice.below(seeds.size())];
  for (size_t i = dice.below(6) + 1; i > 0; --i)
    mutateOnce(text, seeds, dice);
  text.resize(std::min(text.size(), kMaxBytes));
  return text;
}

std::vector<std::string> readSeeds(const char *folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto &path : paths) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in),
                       std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// The current input, for the signal handler.
char trying[64];

void sayWhich(int signal) {
  (void)!write(STDERR_FILENO, trying, std::strlen(trying));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const std::string &input, const char *kind, uint64_t number) {
  std::snprintf(trying, sizeof trying, "while trying %s %llu\n", kind,
                static_cast<unsigned long long>(number));
  // A copy of exactly its size, so that a sanitizer sees a read past its end.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s CORPUS MUTATIONS [NUMBER]\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> seeds = readSeeds(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no seeds\n", argv[1]);
    return 1;
  }
  if (argc > 3) {
    const std::string input =
        mutation(seeds, std::strtoull(argv[3], nullptr, 10));
    return std::fwrite(input.data(), 1, input.size(), stdout) != input.size();
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    std::signal(signal, sayWhich);
  for (size_t i = 0; i < seeds.size(); ++i)
    run(seeds[i], "seed", i);
  const uint64_t mutations = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t i = 0; i < mutations; ++i)
    run(mutation(seeds, i), "mutation", i);
  std::printf("%zu seeds, %llu mutations\n", seeds.size(),
              static_cast<unsigned long long>(mutations));
  return 0;
}
