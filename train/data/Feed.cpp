//===- Feed.cpp - Fills the inputs of a plan ------------------------------===//
#include "train/data/Feed.h"

#include "abi/Counts.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <string_view>

using namespace zrt;

namespace {

/// The largest file whose values are all checked before training.
constexpr uint64_t kScanBytes = uint64_t{256} << 20;

/// Whether --data is a file of samples, a tensor for each input, and not text.
bool hasSamples(const TrainOptions &options) {
  return options.data.size() == 1 && options.data[0].ends_with(".safetensors");
}

/// Throws if --data is a file of samples with a tensor that the model does not
/// read.  Only models with learned positions read "positions"; what a loss
/// reads is no part of scores.
void checkTensors(const zrt_plan &plan, const TrainOptions &options) {
  if (!hasSamples(options))
    return;
  const std::vector<const zrt_input *> inputs = fedInputs(plan);
  const SafetensorsFile file(options.data[0]);
  for (const TensorEntry &tensor : file.tensors())
    if (tensor.name != "positions" &&
        (tensor.name == "starts" || plan.programs[ZRT_STEP].ops) &&
        std::none_of(inputs.begin(), inputs.end(), [&](const zrt_input *input) {
          return input->name == tensor.name;
        }))
      fail("{} has a tensor \"{}\", and the model has no such input{}",
           options.data[0], tensor.name,
           tensor.name == "starts"
               ? ", so the samples of a sequence would affect each other; "
                 "import it with zeroc import --packed"
           : tensor.name == "token_weights"
               ? ", so all targets would count alike; import it with zeroc "
                 "import --token-weights"
           : tensor.name == "samples" || tensor.name == "labels"
               ? "; import it for the objective of the data, with zeroc "
                 "import --objective"
               : "; name the tensors that it reads with --input");
}

/// The file of samples of `input`, in --input or --data, if there is one.
std::optional<std::string> placeOf(const zrt_input &input,
                                   const TrainOptions &options) {
  for (const auto &[name, place] : options.inputs)
    if (name == input.name)
      return place;
  if (hasSamples(options))
    return options.data[0] + ":" + input.name;
  return std::nullopt;
}

/// The share of source `i` in all sources, in percent.
double sharePercent(const std::vector<DataSource> &sources, size_t i) {
  uint64_t sum = 0;
  for (const DataSource &source : sources)
    sum += source.weight;
  return 100.0 * double(sources[i].weight) / double(sum);
}

/// The inputs that --data feeds.
struct Text {
  const zrt_input *tokens = nullptr, *targets = nullptr;
};

Text textOf(const zrt_plan &plan, const TrainOptions &options) {
  Text text;
  for (const zrt_input *input : fedInputs(plan)) {
    if (placeOf(*input, options))
      continue;
    if (isText(*input, "tokens"))
      text.tokens = input;
    else if (isText(*input, "targets"))
      text.targets = input;
  }
  // Targets are the tokens shifted by one, so both have the same shape.
  if (text.targets &&
      (!text.tokens || !std::equal(text.targets->shape, text.targets->shape + 2,
                                   text.tokens->shape)))
    text.targets = nullptr;
  return text;
}

void checkSeparator(const Text &text, int64_t separator) {
  constexpr const char *kOption = "--document-separator";
  if (!text.targets)
    usage("{}={} masks targets that --data feeds, and it "
          "feeds none; drop it",
          kOption, separator);
  if (!mayHold(*text.tokens, separator))
    usage("{}={} is not {}", kOption, separator, allowedText(*text.tokens));
  if (!ignoredValue(*text.targets))
    usage(
        "{}={}: the model has no value of targets that is ignored, beyond its "
        "vocabulary; give its loss one, as ignore_index of nn.cross_entropy",
        kOption, separator);
}

/// Throws for plain text if the model's vocabulary is larger than the bytes.
void checkText(const TokenFiles &data, const zrt_input &tokens,
               TokenFormat format) {
  constexpr int64_t kBytes = 256;
  const TokenData *text = data.firstText();
  if (format == TokenFormat::Auto && text && tokens.bound > kBytes)
    fail("{} is text, and this model reads tokens of a vocabulary of {}: make "
         "a file of them, zeroc tokenize {} -o tokens.bin "
         "--tokenizer=TOKENIZER.json; if its tokens are bytes, say "
         "--data-format=text",
         text->path(), withCommas(uint64_t(tokens.bound)), text->path());
}

} // namespace

void zrt::checkGiven(const zrt_plan &plan, const TrainOptions &options) {
  const std::vector<const zrt_input *> inputs = fedInputs(plan);
  for (const std::string &file : options.data)
    if (file.ends_with(".safetensors") && !hasSamples(options))
      usage("--{}data {}: a file of samples cannot be read with other files; "
            "name it alone",
            options.dataPrefix, file);
  const Text text = textOf(plan, options);
  if (options.epochs > 0 && inputs.empty())
    usage("--epochs={}: the model reads no samples; say "
          "--steps",
          options.epochs);
  if (text.tokens && options.data.empty())
    usage(
        "--{}data is missing; give it a file of text or tokens (see {} --help)",
        options.dataPrefix, options.program);
  if (options.separator && options.dataPrefix.empty())
    checkSeparator(text, *options.separator);
  for (const auto &[name, place] : options.inputs)
    if (std::none_of(inputs.begin(), inputs.end(), [&](const zrt_input *input) {
          return input->name == name;
        })) {
      std::vector<std::string_view> names;
      names.reserve(inputs.size());
      for (const zrt_input *input : inputs)
        names.push_back(input->name);
      usage("--{}input {}: the model has no such input; it has {}",
            options.dataPrefix, name, fmt::join(names, ", "));
    }
  for (const zrt_input *input : inputs)
    if (input != text.tokens && input != text.targets &&
        !placeOf(*input, options))
      usage(
          "--{3}input {0}=FILE is missing; the model takes \"{0}\", {1}{2}",
          input->name, typeText(*input),
          isText(*input, "targets")
              ? fmt::format(", which --{}data feeds only beside tokens of that "
                            "shape",
                            options.dataPrefix)
              : "",
          options.dataPrefix);
  const bool isNeeded = text.tokens || (hasSamples(options) &&
                                        options.inputs.size() < inputs.size());
  if (!isNeeded && !options.data.empty())
    usage("--{0}data feeds no input: all come from "
          "--{0}input; drop it",
          options.dataPrefix);
}

Feed::Feed(const zrt_plan &plan, const TrainOptions &options)
    : BatchSource(plan, options.dataPrefix.empty() ? std::optional(options.seed)
                                                   : std::nullopt) {
  const Text text = textOf(plan, options);
  checkTensors(plan, options);
  for (const zrt_input *input : inputs()) {
    const std::optional<std::string> place = placeOf(*input, options);
    sources.push_back(
        {input,
         place ? std::make_unique<const SampleFile>(*place, *input) : nullptr,
         input == text.targets ? uint64_t{1} : 0});
  }
  if (text.tokens) {
    data = std::make_unique<const TokenFiles>(
        options.data, options.format, text.tokens->shape[1],
        /*later=*/text.targets ? 1 : 0, mayHold(*text.tokens, 65536));
    checkText(*data, *text.tokens, options.format);
  }
  if (text.targets)
    separator = options.separator;
  mixed = options.sources;
  order =
      SampleMix(sourcesOf(checkSamples()),
                options.shuffle ? std::optional(options.seed) : std::nullopt);
  checkValues();
}

std::vector<SampleMix::Source> Feed::sourcesOf(uint64_t samples) const {
  if (mixed.empty())
    return {{1, samples}};
  std::vector<SampleMix::Source> parts;
  size_t files = 0;
  for (const DataSource &source : mixed) {
    const uint64_t before = data->sequencesOf(files);
    files += source.files;
    parts.push_back({source.weight, data->sequencesOf(files) - before});
  }
  return parts;
}

uint64_t Feed::checkSamples() const {
  const auto countOf = [&](const Source &source) {
    return source.file ? source.file->samples() : data->sequences();
  };
  const auto textOf = [&](const Source &source) {
    return source.file ? source.file->text()
                       : fmt::format("{}, {}", data->text(),
                                     plural(data->sequences(), "sequence"));
  };
  for (const Source &source : sources) {
    if (countOf(source) != countOf(sources.front()))
      fail("inputs \"{}\" and \"{}\" have other numbers of samples: {}, and "
           "{}; give files of equally many",
           sources.front().input->name, source.input->name,
           textOf(sources.front()), textOf(source));
  }
  return sources.empty() ? 1 : countOf(sources.front());
}

void Feed::checkValues() {
  if (separator && data->fileBytes() <= kScanBytes)
    masked = data->count(*separator);
  for (const Source &source : sources) {
    if ((source.input->dtype == ZRT_F32 && !areWeights(*source.input)) ||
        (source.file ? source.file->fileBytes() : data->fileBytes()) >
            kScanBytes)
      continue;
    if (!source.file) {
      data->check(*source.input, source.later);
      continue;
    }
    std::vector<std::byte> sample(sampleElements(*source.input) *
                                  dtypeBytes(source.input->dtype));
    bool hasOther = false; // than zeros
    for (uint64_t i = 0; i < order.samples(); ++i) {
      source.file->read(i, sample.data());
      hasOther |= std::any_of(sample.begin(), sample.end(), [](std::byte byte) {
        return byte != std::byte{0};
      });
    }
    if (areWeights(*source.input) && !hasOther)
      fail("{}: all weights are 0, so nothing would be trained on",
           source.file->text());
  }
}

void Feed::read(size_t input, const BatchPlace &place, uint64_t row,
                std::byte *to) const {
  const Source &source = sources[input];
  const uint64_t sample = order.at(place.position(row, samplesPerBatch()));
  if (source.file)
    source.file->read(sample, to);
  else
    data->read(sample, source.later, *source.input, to);
  if (source.later && separator)
    data->mask(sample, *separator, *source.input, to);
}

std::string Feed::text() const {
  std::string text;
  if (data)
    text += fmt::format("data      {}, {} tokens, {} of {}\n", data->text(),
                        withCommas(data->tokens()),
                        plural(data->sequences(), "sequence"), data->length());
  if (separator)
    text += fmt::format("masks     targets after token {}{}\n", *separator,
                        masked ? ": " + withCommas(*masked) : "");
  const std::vector<SampleMix::Source> parts = sourcesOf(order.samples());
  for (size_t i = 0; i < mixed.size(); ++i)
    text += fmt::format("mix       {:.4g}% {}: {}\n", sharePercent(mixed, i),
                        mixed[i].name, plural(parts[i].samples, "sequence"));
  for (const Source &source : sources)
    if (source.file)
      text += fmt::format("input     {} from {}\n", source.input->name,
                          source.file->text());
  return text;
}

std::string Feed::mixText(uint64_t positions) const {
  std::string text;
  const std::vector<SampleMix::Source> parts = sourcesOf(order.samples());
  const std::vector<uint64_t> read = order.counts(positions);
  for (size_t i = 0; i < mixed.size(); ++i)
    text += fmt::format("read {} of {}, {:.2f} epochs\n",
                        plural(read[i], "sequence"), mixed[i].name,
                        double(read[i]) / double(parts[i].samples));
  return text;
}
