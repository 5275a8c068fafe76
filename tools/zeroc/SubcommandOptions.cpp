//===- SubcommandOptions.cpp - Options of import, export and the like -----===//
#include "frontend/HuggingFace.h"
#include "tools/tokenize/TokenWriter.h"
#include "tools/zeroc/CommandLine.h"

#include <tuple>

using namespace mlir;
using namespace mlir::zero;

void CommandLine::declareSubcommands() {
  Place imported{model, std::nullopt, import};
  // Sizes of a tensor of 32-bit ids.
  Values batch = count(importOptions.batch, 1, INT32_MAX,
                       "an integer from 1 to " + Twine(INT32_MAX)),
         sequence = count(importOptions.sequence, 1, INT32_MAX,
                          "an integer from 1 to " + Twine(INT32_MAX));
  Values file = text(importOptions.output);
  // What is needed has no default.
  batch.otherwise = sequence.otherwise = file.otherwise = "";
  add("batch=B", batch, "sequences of one micro-batch of one rank", imported);
  add("seq=T", sequence, "tokens of a sequence, at most the model's positions",
      imported);
  add("o=MODEL.mlir", file, "the file to write; the standard output without it",
      imported);

  Place exported{model, std::nullopt, exporting};
  Values folder = text(exportOptions.output),
         described = text(exportOptions.config);
  folder.otherwise = described.otherwise = "";
  add("o=OUT", folder, "FILE.safetensors, or a folder, which is made",
      exported);
  add("dtype=TYPE", text(exportOptions.dtype, {"f32", "bf16", "f16"}),
      "of elements: f32, bf16 or f16", exported);
  add("max-shard-size=BYTES", bytes(exportOptions.maxShardBytes, 1),
      "of tensors in one file of a folder; more are split,\n"
      "with an index",
      exported);
  add("config=CONFIG.json", described,
      "of the model, to be put into the folder", exported);

  Place tokenized{model, std::nullopt, tokenizing};
  Values tokens = text(tokenizeOptions.output),
         tokenizer = text(tokenizeOptions.tokenizer),
         separator = text(tokenizeOptions.separator),
         field = text(tokenizeOptions.field);
  tokens.otherwise = tokenizer.otherwise = separator.otherwise = "";
  field.otherwise = "text, of files *.jsonl";
  add("o=TOKENS", tokens,
      "NAME.bin, with a header; or NAME.u16 or NAME.u32,\n"
      "which are ids alone",
      tokenized);
  add("tokenizer=TOKENIZER.json", tokenizer,
      "of Hugging Face; needs python3 with tokenizers", tokenized);
  add("bytes", given(tokenizeOptions.bytes), "each byte is a token", tokenized);
  add("separator=TOKEN", separator,
      "what ends each document: an id, or a token of the\n"
      "tokenizer",
      tokenized);
  add("field=NAME", field,
      "files have a document in each line, an object of\n"
      "JSON, and this is its text",
      tokenized);
  Place drawn{model, std::nullopt, generating},
      built{machine, std::nullopt, generating};
  auto passOn = [](std::vector<std::pair<std::string, std::string>> &to,
                   StringRef usage, const char *otherwise = "") -> Values {
    std::string name = ("--" + usage.split('=').first).str();
    return {[&to, name](StringRef value) {
              to.emplace_back(name, value.str());
              return llvm::Error::success();
            },
            otherwise};
  };
  for (auto [usage, help, otherwise, place] :
       {std::tuple<const char *, const char *, const char *, Place &>{
            "prompt=TEXT", "what it goes on with, where tokens are bytes", "",
            drawn},
        {"prompt-ids=ID,...", "the same, as tokens", "", drawn},
        {"sample=N", "how many texts", "1", drawn},
        {"sample-tokens=M", "tokens of each, after the prompt", "100", drawn},
        {"temperature=X",
         "what logits are divided by; 0 takes the likeliest\ntoken", "0.8",
         drawn},
        {"top-k=K", "draw from the K likeliest tokens", "all", drawn},
        {"seed=N", "of what is drawn", "0", drawn},
        {"logits=FILE.npy",
         "draw nothing: write the logits after each token of the\nprompt", "",
         drawn},
        {"threads=N", "that compute", "all", built}})
    add(usage, passOn(generateOptions.run, usage, otherwise), help, place);
  for (auto [usage, help, otherwise] :
       {std::tuple{"precision=TYPE", "fp32, bf16 or fp16", "fp32"},
        {"cpu=NAME", "as of zeroc MODEL.mlir", "native"}})
    add(usage, passOn(generateOptions.compiled, usage, otherwise), help, built);
  Values svg = text(plotOptions.output);
  svg.otherwise = "";
  add("o=RUN.svg", svg, "the file to write; the standard output without it",
      {picture, std::nullopt, plotting});
}

ImportOptions CommandLine::checkImport() {
  if (importOptions.config.empty())
    fail("import needs a config.json, or the folder of a model; see zeroc "
         "import --help");
  importOptions.config = frontend::findConfig(importOptions.config);
  if (!importOptions.batch)
    fail("--batch is missing; give the sequences of a micro-batch, for example "
         "--batch=8");
  if (!importOptions.sequence)
    fail("--seq is missing; give the tokens of a sequence, for example "
         "--seq=64");
  if (isSameFile(importOptions.output, importOptions.config))
    fail("-o " + importOptions.output +
         " would overwrite the config; name another file");
  return importOptions;
}

ExportOptions CommandLine::checkExport() {
  if (exportOptions.checkpoint.empty())
    fail("export needs a checkpoint, or a folder of them; see zeroc export "
         "--help");
  if (exportOptions.output.empty())
    fail("-o is missing; name a file *.safetensors, or a folder");
  return exportOptions;
}

TokenizeOptions CommandLine::checkTokenize() {
  TokenizeOptions &o = tokenizeOptions;
  o.files.assign(texts.begin(), texts.end());
  if (o.files.empty())
    fail("tokenize needs files; see zeroc tokenize --help");
  if (o.output.empty())
    fail("-o is missing; name a file *.bin, *.u16 or *.u32");
  if (!zrt::isTokenFileName(o.output))
    fail("-o " + o.output +
         " does not say what it holds; name it *.bin, *.u16 or *.u32");
  if (o.bytes == !o.tokenizer.empty())
    fail(o.bytes ? "--bytes and --tokenizer exclude each other; drop one"
                 : "--tokenizer is missing; name a tokenizer.json, or say "
                   "--bytes");
  return o;
}

GenerateOptions CommandLine::checkGenerate() {
  if (generateOptions.model.empty() || generateOptions.weights.empty())
    fail("generate needs a model and its weights, as in zeroc generate "
         "model.mlir model.safetensors --prompt=TEXT");
  return generateOptions;
}

PlotOptions CommandLine::checkPlot() {
  plotOptions.runs.assign(runs.begin(), runs.end());
  if (plotOptions.runs.empty())
    fail("plot needs a file that train --metrics has written; see zeroc plot "
         "--help");
  for (const std::string &run : plotOptions.runs)
    if (isSameFile(plotOptions.output, run))
      fail("-o " + plotOptions.output +
           " would overwrite the metrics; name another file");
  return plotOptions;
}
