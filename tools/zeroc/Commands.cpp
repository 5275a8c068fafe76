//===- Commands.cpp - The commands of zeroc -------------------------------===//
#include "tools/zeroc/Commands.h"

#include "tools/LibraryFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace mlir::zero;

static constexpr CommandEntry kCommands[] = {
#define GROUP(TITLE) {"", TITLE, false},
#define CPP(NAME, SUMMARY) {NAME, SUMMARY, false},
#define PYTHON(NAME, SUMMARY) {NAME, SUMMARY, true},
#include "tools/zeroc/Commands.def"
};

/// Commands of other tools, and what does that here.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kOthers[] =
    {
#define OTHER(NAMES, HERE) {NAMES, HERE},
#include "tools/zeroc/Commands.def"
};

const CommandEntry *zero::findCommand(StringRef name) {
  for (const CommandEntry &one : kCommands)
    if (!one.name.empty() && one.name == name)
      return &one;
  return nullptr;
}

llvm::Error zero::checkWords(ArrayRef<char *> argv) {
  const StringRef first = argv[1];
  if (first.starts_with("-") || findCommand(first))
    return llvm::Error::success();
  if (llvm::sys::fs::exists(first)) {
    // A word behind an option may be its value.
    for (const auto &[before, word] :
         llvm::zip(argv.drop_front(), argv.drop_front(2)))
      if (findCommand(word) && !StringRef(before).starts_with("-") &&
          !llvm::sys::fs::exists(word))
        return llvm::createStringError("the command comes first: zeroc " +
                                       Twine(word) + " " + first + " ...");
    return llvm::Error::success();
  }
  for (const auto &[names, here] : kOthers)
    if (llvm::is_contained(llvm::split(names, ' '), first))
      return llvm::createStringError("zeroc has no command " + first + ": " +
                                     here);
  StringRef nearest;
  unsigned least = std::max<unsigned>(2, unsigned(first.size()) / 3) + 1;
  for (const CommandEntry &one : kCommands)
    if (!one.name.empty() && first.edit_distance(one.name) < least) {
      least = first.edit_distance(one.name);
      nearest = one.name;
    }
  if (!nearest.empty())
    return llvm::createStringError(first +
                                   " is no command and no file; did you mean "
                                   "zeroc " +
                                   nearest + "?");
  // A name with an ending is one of a file.
  if (!first.contains('.') && !first.contains('/'))
    return llvm::createStringError(
        first + " is no command and no file; zeroc --help lists the commands");
  return llvm::Error::success();
}

std::string zero::describeCommands() {
  std::string text =
      "zeroc compiles a model into a program that trains it.\n\n"
      "  zeroc finetune Qwen3-0.6B chats.jsonl -o tuned --lora=16\n\n"
      "does all of it for a model's folder; step by step:\n\n"
      "  zeroc import config.json --batch=4 --seq=64 -o gpt2.mlir\n"
      "  zeroc gpt2.mlir --stage=3 --world-size=2 -o train\n"
      "  ./train --data tokens.bin --steps 1000 --lr 3e-4\n\n"
      "What --emit=LEVEL prints is valid input again, and goes on from "
      "there.\n\n"
      "Commands; zeroc COMMAND --help, or zeroc help COMMAND, says more.\n";
  for (const auto &[name, summary, isPython] : kCommands)
    text += name.empty()
                ? ("\n" + summary + ":\n").str()
                : llvm::formatv("  {0,-9} - {1}\n", name, summary).str();
  return text;
}

std::string zero::listCommands() {
  std::string text;
  for (const CommandEntry &one : kCommands)
    if (!one.name.empty())
      text += ("command " + one.name + " " + one.summary + "\n").str();
  return text;
}

/// The rule of python/zeroc/hub.py: two words that are no path of a file, and
/// perhaps a revision.
static bool isNameOfHub(StringRef text) {
  auto isMadeOfNames = [](StringRef word) {
    return !word.empty() && llvm::all_of(word, [](char c) {
      return llvm::isAlnum(c) || StringRef("_.-").contains(c);
    });
  };
  auto isWord = [&](StringRef word) {
    return isMadeOfNames(word) && llvm::isAlnum(word.front());
  };
  const auto [owner, rest] = text.split('/');
  const auto [name, revision] = rest.split('@');
  return isWord(owner) && isWord(name) &&
         (name == rest || isMadeOfNames(revision)) &&
         !text.ends_with(".mlir") && !text.ends_with(".json") &&
         !llvm::sys::fs::exists(text) && !llvm::sys::fs::is_symlink_file(text);
}

bool zero::readsFromHub(ArrayRef<char *> argv) {
  if (argv.size() < 3 ||
      (StringRef(argv[1]) != "import" && StringRef(argv[1]) != "plan"))
    return false;
  for (size_t i = 2; i < argv.size(); ++i)
    if (StringRef(argv[i - 1]) != "-o" && isNameOfHub(argv[i]))
      return true;
  return false;
}

/// What nohup and a shell's background jobs ignore.
static std::vector<int> ignoredSignals;

void zero::noteIgnoredSignals() {
  for (int number : {SIGHUP, SIGINT}) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
      ignoredSignals.push_back(number);
  }
}

llvm::Error zero::runPythonCommand(ArrayRef<char *> argv) {
  static int anchor;
  const std::string self = llvm::sys::fs::getMainExecutable(argv[0], &anchor);
  // In a wheel the package is where that Python finds it.
  if (auto packages = findLibraryFile(argv[0], "python")) {
    std::string path = *packages;
    if (const char *more = getenv("PYTHONPATH"); more && *more)
      path += std::string(":") + more;
    setenv("PYTHONPATH", path.c_str(), 1);
  } else {
    llvm::consumeError(packages.takeError());
  }
  setenv("ZEROC_PROGRAM", self.c_str(), 1);
  const char *named = getenv("ZEROC_PYTHON");
  std::string python = named && *named ? named : "python3", flag = "-m",
              package = "zeroc";
  std::vector<char *> words = {python.data(), flag.data(), package.data()};
  words.insert(words.end(), argv.begin() + 1, argv.end());
  words.push_back(nullptr);
  for (int number : ignoredSignals)
    std::signal(number, SIG_IGN);
  // Python would print a traceback of its own start; the package lets Ctrl-C
  // through.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  execvp(words[0], words.data());
  return llvm::createStringError(
      "zeroc %s needs Python, and %s cannot be run: %s; install it, or name "
      "it in ZEROC_PYTHON",
      argv[1], python.c_str(), strerror(errno));
}
