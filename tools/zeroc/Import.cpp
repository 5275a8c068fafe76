//===- Import.cpp - The command `zeroc import` ----------------------------===//
//
// 1. Read the command line strictly: every option once, with its value.
// 2. Build the model from config.json.
// 3. Print it whole, then write it.
//
//===----------------------------------------------------------------------===//
#include "tools/zeroc/Import.h"

#include "frontend/HuggingFace.h"
#include "frontend/OutputFile.h"
#include "frontend/PrintModel.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

static constexpr StringLiteral kHelp =
    R"(usage: zeroc import CONFIG.json --batch=B --seq=T [-o MODEL.mlir]

Writes the model that a Hugging Face config.json describes, as the MLIR that
zeroc compiles.  Models: gpt2.

  --batch=B      sequences of one micro-batch of one rank
  --seq=T        tokens of a sequence, at most n_positions
  -o MODEL.mlir  the file to write; the standard output without it
  --help         print this and exit

zeroc trains without dropout and says so where config.json asks for it.
)";

namespace {
/// Empty and 0 for what is not given.
struct Options {
  std::string config, output;
  int64_t batch = 0, sequence = 0;
  bool help = false;
};
} // namespace

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "zeroc: error: " << message << "\n";
  return failure();
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static LogicalResult setCount(int64_t &target, StringRef name, StringRef text) {
  int64_t value = 0;
  // One of the sizes of a tensor of 32-bit ids.
  if (text.getAsInteger(10, value) || value < 1 || value > INT32_MAX)
    return fail(name + " must be an integer from 1 to " + Twine(INT32_MAX) +
                ", got \"" + text + "\"");
  if (target)
    return fail(name + " is given twice");
  target = value;
  return success();
}

static LogicalResult setText(std::string &target, const Twine &name,
                             StringRef text) {
  if (text.empty())
    return fail(name + " is empty");
  if (!target.empty())
    return fail(name + " is given twice: " + target + " and " + text);
  target = text.str();
  return success();
}

static LogicalResult parse(ArrayRef<char *> arguments, Options &options) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return success();
    }
    if (!argument.starts_with("-")) {
      if (failed(setText(options.config, "CONFIG.json", argument)))
        return failure();
      continue;
    }
    auto [name, value] = argument.split('=');
    if (name != "--batch" && name != "--seq" && name != "-o")
      return fail("unknown option " + argument +
                  "; options of import: --batch, --seq, -o, --help");
    if (!argument.contains('=')) {
      if (i + 1 == arguments.size())
        return fail(name + " needs a value");
      value = arguments[++i];
    }
    LogicalResult result = name == "-o" ? setText(options.output, name, value)
                           : name == "--batch"
                               ? setCount(options.batch, name, value)
                               : setCount(options.sequence, name, value);
    if (failed(result))
      return failure();
  }
  return success();
}

static LogicalResult check(const Options &options) {
  if (options.config.empty())
    return fail("import needs a config.json; see zeroc import --help");
  if (!options.batch)
    return fail("--batch is missing; give the sequences of a micro-batch, for "
                "example --batch=8");
  if (!options.sequence)
    return fail("--seq is missing; give the tokens of a sequence, for example "
                "--seq=64");
  bool same = false;
  if (!llvm::sys::fs::equivalent(options.config, options.output, same) && same)
    return fail("-o " + options.output +
                " would overwrite the config; name another file");
  return success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

LogicalResult zero::runImport(int argc, char **argv) {
  Options options;
  if (failed(parse(ArrayRef(argv, argc).drop_front(argc > 0), options)))
    return failure();
  if (options.help) {
    if (llvm::Error error = writeOutput("-", kHelp))
      return fail(llvm::toString(std::move(error)));
    return success();
  }
  if (failed(check(options)))
    return failure();
  if (options.output.empty())
    options.output = "-";

  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto model = importHuggingFace(
      context, options.config, options.batch, options.sequence,
      [](StringRef line) { llvm::errs() << "note: " << line << "\n"; });
  if (!model)
    return fail(llvm::toString(model.takeError()));
  if (llvm::Error error = writeOutput(options.output, printModel(**model)))
    return fail(llvm::toString(std::move(error)));
  return success();
}
