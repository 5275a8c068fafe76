//===- Options.cpp - The command line of zeroc ----------------------------===//

#include "tools/zeroc/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr const char *kHelp =
    R"(zeroc compiles a model into a program that trains it.

usage: zeroc MODEL.mlir [options] [-o OUT]
       zeroc import CONFIG.json --batch=B --seq=T [-o MODEL.mlir]

  zeroc import config.json --batch=4 --seq=64 -o gpt2.mlir
  zeroc gpt2.mlir --stage=3 --world-size=2 -o train
  mpirun -n 2 ./train --data tokens.bin --steps 1000 --lr 3e-4

training
  --optimizer=adamw|sgd   the update rule                              [adamw]
  --betas=B1,B2           AdamW's decay of its two moments             [0.9,0.95]
  --eps=E                 AdamW's epsilon                              [1e-8]
  --momentum=M            SGD's momentum                               [0.9]
  --weight-decay=D        for parameters of two or more dimensions     [0.1]
  --grad-clip=N           limit of the gradient norm; 0 for none       [1.0]

machine
  --cpu=NAME              native, x86-64-v3, x86-64-v4, znver4, ...    [native]
  --device-memory=BYTES   the most that the plan of a rank may take; a plan that
                          needs more is an error                      [no limit]

loss
  --loss-chunk=BYTES      logits are computed by chunks of rows of so many bytes,
                          with the loss and its gradient; 0 for no chunks [64MiB]

ranks
  --world-size=N          ranks that train together, started by mpirun    [1]
  --stage=0|1|2|3         what is sharded over them: nothing; optimizer state;
                          and gradients; and parameters                  [0]
  --accumulate=K          micro-steps whose gradients make one step       [1]
  --bucket-size=BYTES     parameters that are exchanged together; 64KiB, 25MiB
                          and the like are understood       [one bucket a block]
  --reuse-distance=BYTES  stage 3: keep parameters between two uses with at most
                          that many bytes of others between them          [0]
  --persist-below=BYTES   stage 3: parameters that are smaller stay whole  [0]

output
  -o OUT                  the file to write; by default the model's name without
                          .mlir for a program, the terminal for text
  --emit=LEVEL            stop at a level and print it: model, step, kernels,
                          partitioned, scheduled, memory, llvm; or write obj,
                          exe                                          [exe]
  --reference             compile through plain scalar loops on one thread: slow,
                          for comparison
  --timing                print where compile time goes
  --help                  this text

A printed level is valid input again and goes on from there.
)";

void fail(const Twine &message) {
  llvm::errs() << "zeroc: error: " << message << "\n";
}

constexpr StringRef kKnown[] = {"--optimizer",
                                "--betas",
                                "--eps",
                                "--momentum",
                                "--weight-decay",
                                "--grad-clip",
                                "--cpu",
                                "--stage",
                                "--world-size",
                                "--accumulate",
                                "--offload",
                                "--bucket-size",
                                "--loss-chunk",
                                "--device-memory",
                                "--persist-below",
                                "--reuse-distance",
                                "--emit",
                                "--reference",
                                "--timing",
                                "--help",
                                "-o"};

/// Options of state and update, which are fixed from level partitioned on.
constexpr StringRef kPartitioning[] = {
    "--optimizer",    "--betas",       "--eps",           "--momentum",
    "--weight-decay", "--grad-clip",   "--stage",         "--world-size",
    "--accumulate",   "--bucket-size", "--persist-below", "--reuse-distance"};

/// The known option nearest to a misspelled one, or "".
StringRef nearest(StringRef name) {
  StringRef best;
  unsigned distance = 4;
  for (StringRef known : kKnown)
    if (unsigned d = name.edit_distance(known, true, distance); d < distance) {
      distance = d;
      best = known;
    }
  return best;
}

class Parser {
public:
  std::optional<DriverOptions> run(ArrayRef<char *> args) {
    for (size_t i = 0; i < args.size() && ok; ++i) {
      StringRef arg = args[i];
      if (arg == "--help" || arg == "-h") {
        llvm::outs() << kHelp;
        exit(0);
      }
      if (!arg.starts_with("-") || arg == "-") {
        if (!options.input.empty())
          error("got two models, " + options.input + " and " + arg);
        options.input = arg.str();
        continue;
      }
      auto [name, value] = arg.split('=');
      bool hasValue = arg.contains('=');
      if (name == "--reference" || name == "--timing") {
        if (hasValue)
          error(name + " takes no value, got " + value);
        (name == "--timing" ? options.timing : options.pipeline.reference) =
            true;
        continue;
      }
      if (!llvm::is_contained(kKnown, name)) {
        StringRef guess = nearest(name);
        error("unknown option " + name +
              (guess.empty() ? Twine("; see zeroc --help")
                             : "; did you mean " + guess + "?"));
        break;
      }
      if (!hasValue) { // `-o OUT` and `--emit step`
        if (i + 1 == args.size()) {
          error(name + " needs a value");
          break;
        }
        value = args[++i];
      }
      set(name, value);
    }
    if (ok && options.input.empty())
      error(
          "no model given; usage: zeroc MODEL.mlir -o OUT (see zeroc --help)");
    if (!ok)
      return std::nullopt;
    finish();
    if (!ok)
      return std::nullopt;
    return options;
  }

private:
  DriverOptions options;
  bool ok = true;

  void error(const Twine &message) {
    if (ok)
      fail(message);
    ok = false;
  }

  void number(StringRef name, StringRef value, double &out, double low,
              double high, StringRef range) {
    double parsed;
    if (value.getAsDouble(parsed) || !(parsed >= low) || !(parsed <= high))
      return error(name + " must be " + range + ", got " + value);
    // What is computed is f32, in which it would not be what was asked for.
    if (parsed != 0 && static_cast<float>(parsed) == 0)
      return error(name + "=" + value + " is 0 in f32; use 0, or " +
                   "at least 1e-37");
    out = parsed;
  }

  void count(StringRef name, StringRef value, int64_t &out, int64_t low,
             int64_t high, StringRef range) {
    int64_t parsed;
    if (value.getAsInteger(10, parsed) || parsed < low || parsed > high)
      return error(name + " must be " + range + ", got " + value);
    out = parsed;
  }

  /// "4096", "64KiB", "25MiB", "1GiB".
  void bytes(StringRef name, StringRef value, int64_t &out, int64_t low) {
    StringRef digits = value;
    int64_t unit = 1, parsed;
    for (auto [suffix, size] :
         {std::pair<StringRef, int64_t>{"KiB", int64_t(1) << 10},
          {"MiB", int64_t(1) << 20},
          {"GiB", int64_t(1) << 30}})
      if (digits.consume_back(suffix))
        unit = size;
    constexpr int64_t kMaxBytes = int64_t(1) << 50;
    if (digits.getAsInteger(10, parsed) || parsed < low ||
        parsed > kMaxBytes / unit)
      return error(name + " must be a number of bytes from " + Twine(low) +
                   " on, as in 4096 or 25MiB, got " + value);
    out = parsed * unit;
  }

  void set(StringRef name, StringRef value) {
    PipelineOptions &p = options.pipeline;
    if (options.partitioning.empty() && llvm::is_contained(kPartitioning, name))
      options.partitioning = name.str();
    if (options.forming.empty() && name == "--loss-chunk")
      options.forming = name.str();
    if (name == "--optimizer") {
      if (value != "adamw" && value != "sgd")
        return error("--optimizer must be adamw or sgd, got " + value);
      p.optimizer = value.str();
    } else if (name == "--betas") {
      auto [first, second] = value.split(',');
      if (!value.contains(','))
        return error("--betas takes two numbers, as in --betas=0.9,0.95, got " +
                     value);
      number(name, first, p.beta1, 0, 0.9999999,
             "two numbers from 0 to below 1");
      number(name, second, p.beta2, 0, 0.9999999,
             "two numbers from 0 to below 1");
    } else if (name == "--eps") {
      number(name, value, p.eps, 1e-30, 1, "above 0 and at most 1");
    } else if (name == "--momentum") {
      number(name, value, p.momentum, 0, 0.9999999, "from 0 to below 1");
    } else if (name == "--weight-decay") {
      number(name, value, p.weightDecay, 0, 1e3, "0 or more");
    } else if (name == "--grad-clip") {
      number(name, value, p.gradClip, 0, 1e30, "0 (none) or more");
    } else if (name == "--cpu") {
      options.cpu = value.str();
    } else if (name == "--stage") {
      count(name, value, p.stage, 0, 3, "0, 1, 2 or 3");
    } else if (name == "--world-size") {
      count(name, value, p.worldSize, 1, 65536,
            "a number of ranks from 1 to 65536");
    } else if (name == "--accumulate") {
      count(name, value, p.accumulate, 1, 1 << 20,
            "a number of micro-steps from 1 to 1048576");
    } else if (name == "--bucket-size") {
      bytes(name, value, p.bucketSize, 1);
    } else if (name == "--reuse-distance") {
      bytes(name, value, p.reuseDistance, 0);
    } else if (name == "--persist-below") {
      bytes(name, value, p.persistBelow, 0);
    } else if (name == "--loss-chunk") {
      bytes(name, value, p.lossChunk, 0);
    } else if (name == "--device-memory") {
      bytes(name, value, p.deviceMemory, 0);
    } else if (name == "--offload") {
      error("--offload=" + value +
            " is not supported yet: all state stays on the device; drop it");
    } else if (name == "--emit") {
      if (value == "llvm" || value == "obj" || value == "exe") {
        options.emit = value == "llvm"  ? Emit::LLVM
                       : value == "obj" ? Emit::Object
                                        : Emit::Executable;
      } else if (std::optional<Level> level = parseLevel(value)) {
        options.emit = Emit::Text;
        options.level = *level;
      } else {
        error("--emit must be model, step, kernels, partitioned, scheduled, "
              "memory, llvm, obj or exe, got " +
              value);
      }
    } else if (name == "-o") {
      if (value.empty())
        error("-o needs a file name");
      options.output = value.str();
    }
  }

  void finish() {
    const PipelineOptions &p = options.pipeline;
    if (p.reference && (p.worldSize > 1 || p.accumulate > 1))
      return error("--reference is one rank and one micro-step, got "
                   "--world-size=" +
                   Twine(p.worldSize) + " --accumulate=" + Twine(p.accumulate) +
                   "; drop them for the comparison");
    if (p.reference && !options.forming.empty())
      return error("--reference computes the loss whole; drop " +
                   options.forming);
    if (p.stage != 3 && p.persistBelow > 0)
      return error("--persist-below needs --stage=3; parameters of stage " +
                   Twine(p.stage) + " are whole on every rank");
    if (p.deviceMemory >= 0 && options.emit == Emit::Text &&
        options.level < Level::Memory)
      return error("--device-memory limits a plan, and --emit=" +
                   stringifyLevel(options.level) +
                   " stops before there is one; drop it or use --emit=memory");
    bool text = options.emit == Emit::Text || options.emit == Emit::LLVM;
    if (!text && options.output == "-")
      return error("a program or an object needs a file; name it with -o OUT");
    if (!options.output.empty())
      return;
    StringRef stem = options.input == "-"
                         ? StringRef("train")
                         : llvm::sys::path::stem(options.input);
    options.output =
        text ? "-" : stem.str() + (options.emit == Emit::Object ? ".o" : "");
  }
};

} // namespace

std::optional<DriverOptions> zero::parseOptions(int argc, char **argv) {
  std::optional<DriverOptions> options =
      Parser().run(ArrayRef<char *>(argv + 1, argc - 1));
  // Not by name alone: ./a.mlir, a.mlir and a link to it are one file.
  if (options && options->output != "-" &&
      (options->output == options->input ||
       llvm::sys::fs::equivalent(options->output, options->input))) {
    fail("the output " + options->output +
         " would overwrite the model; choose another name with -o");
    return std::nullopt;
  }
  return options;
}
