//===- MainTest.cpp - Schedules, options, metrics, the loop ---------------===//
#include "train/options/Options.h"
#include "train/report/Metrics.h"
#include "train/report/Report.h"
#include "train/run/Mains.h"
#include "train/schedule/Schedule.h"

#include "train/state/io/Safetensors.h"

#include "TestFiles.h"
#include "TestPlan.h"
#include "TrainRun.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <limits>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace zrt;

namespace {

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Expects the rate of each of some steps.
void expectRates(const Schedule &schedule,
                 const std::vector<std::pair<int64_t, double>> &rates) {
  for (const auto &[step, rate] : rates)
    EXPECT_DOUBLE_EQ(schedule.at(step), rate) << "step " << step;
}

TEST(Schedule, WarmsUpThenStays) {
  expectRates({Schedule::Kind::Constant, 0.8, 0, 4, 0, 10},
              {{0, 0.2}, {1, 0.4}, {3, 0.8}, {4, 0.8}, {9, 0.8}});
}

TEST(Schedule, LinearEndsAtTheMinimum) {
  expectRates(
      {Schedule::Kind::Linear, 1.0, 0.2, 2, 0, 10},
      {{0, 0.5}, {1, 1}, {2, 1}, {6, 0.6}, {9, 0.3}, {10, 0.2}, {99, 0.2}});
}

TEST(Schedule, CosineEndsAtTheMinimum) {
  const double second = 0.2 + 0.8 * 0.5 * (1 + std::sqrt(0.5));
  expectRates({Schedule::Kind::Cosine, 1.0, 0.2, 0, 0, 8},
              {{0, 1}, {2, second}, {4, 0.6}, {8, 0.2}});
}

TEST(Schedule, WsdFallsAtTheEnd) {
  Schedule s = {Schedule::Kind::Wsd, 1.0, 0.2, 2, 4, 10};
  expectRates(
      s, {{0, 0.5}, {1, 1}, {5, 1}, {6, 1}, {7, 0.8}, {9, 0.4}, {10, 0.2}});
  s.cooldown = 0;
  expectRates(s, {{9, 1}});
}

TEST(Schedule, MayBeAllWarmUp) {
  expectRates({Schedule::Kind::Cosine, 1.0, 0, 10, 0, 10}, {{9, 1}, {10, 0}});
}

/// Over samples, steps of one size have the bits of a schedule over steps; with
/// another size the rate is that of the place.
TEST(Schedule, IsOverSamples) {
  using enum Schedule::Kind;
  for (const Schedule::Kind kind : {Constant, Linear, Cosine, Wsd})
    for (const bool isLogarithmic : {false, true})
      for (const int64_t perStep : {1, 3, 7, 1000003}) {
        Schedule steps = {kind, 7e-4, 3e-5, 9, 11, 53};
        steps.isLogarithmic = isLogarithmic;
        Schedule samples = steps;
        samples.samples = {perStep, perStep, 53 * perStep};
        for (int64_t step = 0; step < 60; ++step)
          EXPECT_EQ(samples.at(step * perStep), steps.at(step));
        EXPECT_EQ(samples.last(), 52 * perStep);
        EXPECT_TRUE(samples.hasRoom());
        samples.samples = {2 * perStep, perStep, 53 * perStep};
        for (int64_t step = 9; step < 60; ++step)
          EXPECT_NEAR(samples.at(step * perStep), steps.at(step), 1e-18);
        for (int64_t step = 0; step < 9; ++step)
          EXPECT_LE(samples.at(step * perStep), 7e-4);
      }
  Schedule full = {Wsd, 1, 0, 30, 30, 53};
  EXPECT_FALSE(full.hasRoom());
  full.samples = {8, 1, 60};
  EXPECT_TRUE(full.hasRoom());
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

TrainOptions parseWords(std::vector<std::string> words) {
  words.insert(words.begin(), "/some/where/train");
  std::vector<const char *> args;
  for (const std::string &word : words)
    args.push_back(word.c_str());
  return parseOptions(static_cast<int>(args.size()), args.data());
}
TrainOptions parse(const std::string &line) {
  return parseWords(wordsOf(line));
}

/// Returns the error for the required options and `words`, or "".
std::string errorOfWords(std::vector<std::string> words) {
  words.insert(words.begin(),
               {"--data", "d.bin", "--lr", "0.1", "--steps", "5"});
  try {
    parseWords(words);
  } catch (const UsageError &error) {
    return error.what();
  }
  return "";
}
std::string usageError(const std::string &line) {
  return errorOfWords(wordsOf(line));
}

TEST(Options, AreRead) {
  const TrainOptions o =
      parse("--data=d.bin --steps 100 --lr 6e-4 --schedule cosine --warmup 10 "
            "--min-lr 6e-5 --init i --save s --metrics m "
            "--seed 18446744073709551615 --threads 2 --profile "
            "--data-format u32 --quiet");
  EXPECT_EQ(o.program, "train");
  EXPECT_EQ(o.data, std::vector<std::string>{"d.bin"});
  EXPECT_EQ(o.schedule.steps, 100);
  EXPECT_EQ(o.schedule.peak, 6e-4);
  EXPECT_EQ(o.schedule.minimum, 6e-5);
  EXPECT_EQ(o.schedule.warmup, 10);
  EXPECT_EQ(o.schedule.kind, Schedule::Kind::Cosine);
  EXPECT_EQ(o.init + o.save + o.metrics, "ism");
  EXPECT_EQ(o.seed, UINT64_MAX);
  EXPECT_EQ(o.threads, 2);
  EXPECT_EQ(o.format, TokenFormat::U32);
  EXPECT_TRUE(o.profile && o.quiet && !o.certificate);
}

TEST(Options, AreJudged) {
  EXPECT_EQ(usageError(""), "");
  EXPECT_EQ(usageError("--lrr 1"),
            "unknown option --lrr; did you mean --lr? see train --help");
  EXPECT_EQ(usageError("stray"), "unknown argument stray; see train --help");
  EXPECT_EQ(usageError("--warmup -3"), "--warmup must not be negative, got -3");
  EXPECT_EQ(usageError("--threads -1"),
            "--threads must not be negative, got -1");
  EXPECT_EQ(usageError("--schedule step"),
            "--schedule=step is unknown; choose one of constant, cosine, "
            "linear, wsd");
  EXPECT_HAS(usageError("--data-format npy"), "choose one of auto");
  EXPECT_EQ(usageError("--min-lr 0.01"),
            "--min-lr needs --schedule=linear, cosine or wsd");
  EXPECT_EQ(usageError("--schedule wsd"),
            "--schedule=wsd needs --cooldown, the steps of its fall");
  EXPECT_EQ(usageError("--cooldown 5"), "--cooldown needs --schedule=wsd");
  EXPECT_EQ(usageError("--schedule wsd --cooldown 90 --warmup 11"),
            "--warmup=11 and --cooldown=90 are more than --steps=5");
  EXPECT_EQ(usageError("--schedule linear --min-lr 0.2"),
            "--min-lr=0.2 is above --lr=0.1");
  EXPECT_EQ(usageError("--seed -1"),
            "--seed must be a whole number from 0 to 2^64-1, got -1");
  EXPECT_EQ(usageError("--warmup 1e3"),
            "--warmup must be a whole number, got 1e3");
  EXPECT_EQ(usageError("--warmup 99999999"),
            "--warmup must be at most 16777216, got 99999999");
  EXPECT_EQ(usageError("--threads 99999999999999999999"),
            "--threads must be a whole number, got 99999999999999999999");
  EXPECT_HAS(usageError("--warmup"), "--warmup");
  EXPECT_EQ(errorOfWords({"--save", ""}), "--save needs a file name");
  EXPECT_EQ(usageError("--input x"), "--input must be NAME=FILE, got x");
  EXPECT_EQ(usageError("--input =x"), "--input must be NAME=FILE, got =x");
  EXPECT_EQ(usageError("--input x=a --input x=b"), "--input x is given twice");
  EXPECT_EQ(usageError("--input x=f.safetensors:w --save f.safetensors"),
            "--save and --input x are the same file, f.safetensors; give each "
            "its own");
  EXPECT_EQ(usageError("--save x --metrics ./x"),
            "--metrics and --save are the same file, ./x; give each its own");
  for (const char *lr : {"-0.1", "nan", "inf"}) {
    const std::string error =
        errorOf([&] { parseWords({"--data=d", "--steps=5", "--lr", lr}); });
    EXPECT_HAS(error, "--lr must be a finite number >= 0");
  }
  for (const char *lr : {"1e39", "3.5e38"})
    EXPECT_ERROR("is more than a float32 holds, 3.4e+38",
                 parseWords({"--data=d", "--steps=5", "--lr", lr}));
  EXPECT_ERROR("--lr=1e-46 is 0 as a float32",
               parse("--data=d --steps=5 --lr=1e-46"));
  EXPECT_EQ(parse("--data=d --steps=5 --lr=0").schedule.peak, 0);
  EXPECT_EQ(parse("--data=d --steps=5 --lr=1e-44").schedule.peak, 1e-44);
  EXPECT_ERROR(
      "--min-lr=1e-46 is 0 as a float32",
      parse("--data=d --steps=5 --lr=1 --schedule=linear --min-lr=1e-46"));
  EXPECT_ERROR("--steps must not be negative, got -5",
               parse("--data=d --steps -5 --lr=1"));
  EXPECT_ERROR("--steps is missing, or --epochs; see train --help",
               parse("--data=d --lr=1"));
  EXPECT_EQ(parse("--data=d --lr=1 --epochs=3").epochs, 3);
  EXPECT_EQ(usageError("--epochs 3"),
            "--steps and --epochs both say when the run ends; drop one");
  for (const auto &[epochs, what] :
       {std::pair("--epochs=0", "--epochs must be 1 or more, got 0"),
        {"--epochs=-1", "--epochs must not be negative, got -1"},
        {"--epochs=1.5", "--epochs must be a whole number, got 1.5"}})
    EXPECT_ERROR(what, parseWords({"--data=d", "--lr=1", epochs}));
  EXPECT_ERROR("--lr is missing", parse("--data=d --steps=5"));
}

TEST(Options, ThatNameOneFileAreRefused) {
  const TestFolder folder;
  const std::string old = folder.write("old", "");
  std::filesystem::create_symlink("old", folder / "link");
  std::filesystem::create_hard_link(old, folder / "hard");
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_directory_symlink("sub", folder / "sublink");
  const auto error = [&](const char *option, const std::string &path,
                         const char *other, const std::string &otherPath) {
    return errorOfWords({option, path, other, otherPath});
  };
  const std::string same = "are the same file";
  for (const auto &[path, other] :
       {std::pair(old, folder / "link"),
        std::pair(folder / "hard", folder / "link"),
        std::pair(folder / "new", folder / "sub/../new"),
        std::pair(folder / "sub/new", folder / "sublink/new")}) {
    EXPECT_HAS(error("--save", path, "--metrics", other), same)
        << path << " " << other;
    EXPECT_HAS(error("--init", path, "--metrics", other), same);
    EXPECT_EQ(error("--init", path, "--save", other), "");
  }
  EXPECT_EQ(error("--save", folder / "new", "--metrics", folder / "sub/new"),
            "");
  EXPECT_EQ(error("--save", "/dev/null", "--metrics", "/dev/null"), "");
  testing::internal::CaptureStdout(); // into a file
  const std::string printed = usageError("--save /dev/stdout");
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed, "--save and standard output are the same file, "
                     "/dev/stdout; give each its own");
}

TEST(Options, HelpAndCertificateNeedNothingElse) {
  const std::string help = parse("--help").help;
  for (const char *option :
       {"--data",        "--steps",   "--lr",          "--schedule",
        "--warmup",      "--min-lr",  "--cooldown",    "--shuffle",
        "--init",        "--save",    "--metrics",     "--seed",
        "--threads",     "--profile", "--data-format", "--input",
        "--certificate", "--plan",    "--quiet",       "Example"})
    EXPECT_HAS(help, option) << option;
  EXPECT_TRUE(parse("--certificate").certificate);
  EXPECT_TRUE(parse("--plan").plan);
}

//===----------------------------------------------------------------------===//
// Metrics
//===----------------------------------------------------------------------===//

TEST(Metrics, AreJson) {
  EXPECT_EQ(metricsLine({3, double(1.1f), 0.5, 1e-5, 1000, 2.5}),
            R"({"step":3,"loss":1.10000002,"grad_norm":0.5,"lr":1e-05,)"
            R"("tokens_per_s":1000,"step_ms":2.5})");
  EXPECT_EQ(metricsLine({0, 1, std::nullopt, 0, 1, 1}),
            R"({"step":0,"loss":1,"lr":0,"tokens_per_s":1,"step_ms":1})");
  EXPECT_EQ(metricsLine({0, 1, std::nullopt, 0, 1, 1, "samples"}),
            R"({"step":0,"loss":1,"lr":0,"samples_per_s":1,"step_ms":1})");
  EXPECT_EQ(metricsLine({0, 1, 2, 0, 1, 1, "tokens", 65536, 3}),
            R"({"step":0,"loss":1,"grad_norm":2,"lr":0,"loss_scale":65536,)"
            R"("skipped":3,"tokens_per_s":1,"step_ms":1})");
  EXPECT_EQ(metricsLine({0, NAN, HUGE_VAL, 0, 1, 1}),
            R"({"step":0,"loss":null,"grad_norm":null,"lr":0,)"
            R"("tokens_per_s":1,"step_ms":1,"nonfinite":true})");
}

TEST(Metrics, AreWrittenAtOnce) {
  const TestFolder folder;
  MetricsFile file;
  file.open(folder / "m");
  file.write({0, 1, 1, 1, 1, 1});
  EXPECT_EQ(readFile(folder / "m"), metricsLine({0, 1, 1, 1, 1, 1}) + "\n");
}

TEST(Metrics, OnAFullDiskAreAnError) {
  MetricsFile file;
  file.open("/dev/full");
  EXPECT_ERROR("metrics of step 7 to /dev/full: no space left on device",
               file.write({7, 1, 1, 1, 1, 1}));
  EXPECT_ERROR("metrics: cannot write /none/metrics: no such file or directory",
               MetricsFile().open("/none/metrics"));
}

TEST(Metrics, OnAFullDiskEndWithAWholeLine) {
  const TestFolder folder;
  MetricsFile file;
  file.open(folder / "m");
  const StepMetrics metrics = {0, 1, 1, 1, 1, 1};
  const std::string line = metricsLine(metrics) + "\n";
  file.write(metrics);
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = line.size() + 10; // ten bytes of the second line fit
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = errorOf([&] { file.write(metrics); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_HAS(error, "file too large");
  EXPECT_EQ(readFile(folder / "m"), line);
}

TEST(Report, WritesNumbersForPeople) {
  EXPECT_EQ(withCommas(0), "0");
  EXPECT_EQ(withCommas(999), "999");
  EXPECT_EQ(withCommas(1234567), "1,234,567");
  EXPECT_EQ(withUnit(1023), "1,023 bytes");
  EXPECT_EQ(withUnit(1536), "1.5 KiB");
  EXPECT_EQ(withUnit(uint64_t{3} << 30), "3.0 GiB");
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

// A model of one parameter w[4]: loss = w[0] + sum(tokens) + 10 x sum(targets),
// and each step does w -= lr x step.
//
//   offset 0 tokens, 64 targets, 128 lr, 132 step, 136 loss, 140 grad_norm, 192
//   w
const int64_t loopShape[] = {2, 2}, loopWShape[] = {4};
const zrt_input loopInputs[] = {
    {"tokens", ZRT_I32, 2, loopShape, deviceRef(0, 16), 0, 0, 0, 0},
    {"targets", ZRT_I32, 2, loopShape, deviceRef(64, 16), 0, 0, 0, 0},
    {"lr", ZRT_F32, 0, nullptr, deviceRef(128, 4), 0, 0, 0, 0},
    {"step", ZRT_F32, 0, nullptr, deviceRef(132, 4), 0, 0, 0, 0}};
const zrt_output loopOutputs[] = {{"loss", ZRT_F32, 0, deviceRef(136, 4)},
                                  {"grad_norm", ZRT_F32, 0, deviceRef(140, 4)}};
const zrt_member loopMember = {"w", 1, 1, loopWShape,
                               0,   0, 4, {ZRT_INIT_CONSTANT, 0, 0.25, 0}};
const zrt_bucket loopBucket = {"b0", 4, 1, 0, &loopMember, ZRT_UNPACKED, 0};
const zrt_state loopState = {"param",   0, ZRT_F32,
                             ZRT_WHOLE, 0, deviceRef(192, 16)};
const zrt_category category = {"parameters", 16, ZRT_DEVICE, 0};

int steps;       ///< steps that have run
int interruptAt; ///< raise SIGINT in this step, from 1; 0: never

void toyKernel(void *const *args, int64_t, int64_t) {
  ++steps;
  auto *base = static_cast<char *>(args[0]);
  const auto *tokens = reinterpret_cast<int32_t *>(base);
  const auto *targets = reinterpret_cast<int32_t *>(base + 64);
  auto *scalars = reinterpret_cast<float *>(base + 128);
  auto *w = reinterpret_cast<float *>(base + 192);
  float loss = w[0];
  for (int i = 0; i < 4; ++i)
    loss += float(tokens[i]) + 10 * float(targets[i]);
  scalars[2] = loss;
  scalars[3] = 0.5f;
  for (int i = 0; i < 4; ++i)
    w[i] -= scalars[0] * scalars[1];
  if (int(scalars[1]) == interruptAt)
    std::raise(SIGINT);
}

zrt_plan toyPlan() {
  zrt_plan plan = testPlan(Table().launch(ZRT_COMPUTE, "toy.0", toyKernel, 1, 1,
                                          {tensor(deviceRef(0, 256))}),
                           256);
  plan.model = "toy";
  plan.inputs = loopInputs;
  plan.input_count = 4;
  plan.outputs = loopOutputs;
  plan.output_count = 2;
  plan.buckets = &loopBucket;
  plan.bucket_count = 1;
  plan.states = &loopState;
  plan.state_count = 1;
  plan.categories = &category;
  plan.category_count = 1;
  return plan;
}

class Loop : public testing::Test {
protected:
  TestFolder folder;
  TrainRun run;
  std::string &out = run.out, &err = run.err;
  zrt_plan plan = toyPlan();

  int train(const std::vector<std::string> &args) { return run(plan, args); }
  /// Returns why `changed` cannot be trained.
  std::string errorWith(const zrt_plan &changed) {
    plan = changed;
    EXPECT_EQ(train(args({"--steps", "1"})), 1);
    return err;
  }
  /// Returns the exit status of a child process that calls `prepare` before it
  /// trains, and whose output goes to the file `printed`.
  template <typename Prepare>
  int inChild(Prepare prepare, std::vector<std::string> more) {
    const std::vector<std::string> all = args(std::move(more));
    const pid_t child = fork();
    if (child == 0) {
      const int printed = open((folder / "printed").c_str(),
                               O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(printed, 1);
      dup2(printed, 2);
      close(printed);
      prepare();
      _exit(callTrain(plan, all));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// Data are the tokens 1 .. 9: sequences 1 2 3 | 3 4 5 | 5 6 7 | 7 8 9.
  std::vector<std::string> args(std::vector<std::string> more) {
    const std::string data =
        folder.write("data", std::string("\1\2\3\4\5\6\7\10\11"));
    std::vector<std::string> all = {"--data", data, "--lr", "0.5"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// The values of w in the safetensors file at `path`.
  static std::vector<float> weights(const std::string &path) {
    const SafetensorsFile file(path);
    std::vector<float> w(4);
    file.read(*file.find("w"), 0, w.data(), 16);
    return w;
  }
};

TEST_F(Loop, FeedsThePlanAndReportsIt) {
  ASSERT_EQ(train(args({"--steps", "3", "--metrics", folder / "m", "--save",
                        folder / "w"})),
            0)
      << err;
  EXPECT_EQ(err, "");
  // Step 0: tokens 1 2 3 4, targets 2 3 4 5; then w -= 0.5 x 1, 0.5 x 2, ...
  const std::string metrics = readFile(folder / "m");
  EXPECT_EQ(
      metrics.rfind(R"({"step":0,"loss":150.25,"grad_norm":0.5,"lr":0.5,)", 0),
      0u)
      << metrics;
  EXPECT_HAS(metrics, R"({"step":1,"loss":325.75,)");
  EXPECT_HAS(metrics, R"({"step":2,"loss":148.75,)");
  EXPECT_EQ(weights(folder / "w"), std::vector<float>(4, 0.25f - 3.0f));
  for (const char *part :
       {"toy, 4 parameters", "9 tokens", "text bytes", "device 256 bytes",
        "step 0/3", "final loss 148.750000 (step 2)", "weights saved to"})
    EXPECT_HAS(out, part) << part << "\n" << out;
}

TEST_F(Loop, RefusesOptionsOfTiersThatThePlanDoesNotHave) {
  plan.stream_count = 1; // compute
  EXPECT_EQ(train(args({"--steps", "1", "--host-threads", "2"})), 2);
  EXPECT_EQ(err, "train: error: --host-threads=2: this plan does nothing in "
                 "host memory; compile the model with --offload=cpu, or drop "
                 "the option\n");
}

TEST_F(Loop, StartsFromAFile) {
  ASSERT_EQ(train(args({"--steps", "3", "--save", folder / "w"})), 0);
  ASSERT_EQ(train(args({"--steps", "0", "--init", folder / "w", "--save",
                        folder / "v", "--quiet"})),
            0);
  EXPECT_EQ(out + err, "");
  EXPECT_EQ(readFile(folder / "w"), readFile(folder / "v"));
}

TEST_F(Loop, AnInterruptFinishesTheStepAndSaves) {
  interruptAt = 2;
  const int status = train(args({"--steps", "100", "--save", folder / "w"}));
  interruptAt = 0;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  EXPECT_EQ(status, 130);
  EXPECT_HAS(out, "stopped by Ctrl-C after 2 of 100 steps");
  EXPECT_EQ(weights(folder / "w"), std::vector<float>(4, 0.25f - 1.5f));
}

TEST_F(Loop, ProfilesAndCertifies) {
  ASSERT_EQ(train(args({"--steps", "3", "--profile"})), 0);
  EXPECT_HAS(out, "profile: 2 steps");
  EXPECT_HAS(out, "toy ");
  ASSERT_EQ(train({"--certificate"}), 0);
  EXPECT_HAS(out, "parameters");
  EXPECT_HAS(out, "device arena");
  EXPECT_NE(train({"--certificate=json"}), 0);
  EXPECT_HAS(run.err, "this one was made otherwise");
  ASSERT_EQ(train({"--plan"}), 0);
  EXPECT_HAS(out, "program step: 1 operations, 0 events\n     0  compute   "
                  "    launch     toy.0 1 by 1: operand 0 device 0 + 256 f32 "
                  "members\n");
}

TEST_F(Loop, MetricsThatCannotBeWrittenDoNotEndTheRun) {
  EXPECT_EQ(train(args({"--steps", "3", "--metrics", "/dev/full", "--save",
                        folder / "w"})),
            4);
  EXPECT_EQ(err, "train: warning: cannot write metrics of step 0 to /dev/full: "
                 "no space left on device; training continues without "
                 "metrics\n");
  EXPECT_EQ(weights(folder / "w"), std::vector<float>(4, 0.25f - 3.0f));
}

TEST_F(Loop, RefusesBeforeTheFirstStep) {
  EXPECT_EQ(train({"--steps", "3", "--lr", "1"}), 2);
  EXPECT_EQ(
      err,
      "train: error: --data is missing; give it a file of text or tokens (see "
      "train --help)\n");
  EXPECT_EQ(train(args({"--steps", "3", "--save", "/none/w"})), 1);
  EXPECT_HAS(err, "cannot write /none/w");
  EXPECT_EQ(train(args({"--steps", "3", "--metrics", "/none/m"})), 1);
  EXPECT_HAS(err, "metrics: cannot write /none/m");
  EXPECT_EQ(train(args({"--steps", "3", "--init", folder / "none"})), 1);
  EXPECT_HAS(err, "no such file");
  EXPECT_EQ(out, "");
}

/// int32 of `shape`, "(4, 2)", as NumPy writes them.
std::string npyOf(const std::string &shape,
                  const std::vector<int32_t> &values) {
  const std::string header = "{'descr': '<i4', 'fortran_order': False, "
                             "'shape': " +
                             shape + ", }\n";
  return "\x93NUMPY" + std::string("\1\0", 2) + char(header.size()) + '\0' +
         header +
         std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * 4);
}

TEST_F(Loop, FeedsSamplesOfFiles) {
  // The same sequences as in the text.
  const std::string tokens =
      folder.write("x.npy", npyOf("(4, 2)", {1, 2, 3, 4, 5, 6, 7, 8}));
  const std::string targets =
      folder.write("y.npy", npyOf("(4, 2)", {2, 3, 4, 5, 6, 7, 8, 9}));
  const auto losses = [&](std::vector<std::string> given) {
    given.insert(given.end(),
                 {"--lr", "0.5", "--steps", "3", "--metrics", folder / "m"});
    EXPECT_EQ(train(given), 0) << err;
    std::string found, text = readFile(folder / "m");
    for (size_t at = 0; (at = text.find("loss", at)) != std::string::npos;)
      found += text.substr(at++, 12);
    return found;
  };
  const std::string data = args({})[1];
  const std::string expected = losses({"--data", data});
  EXPECT_EQ(
      losses({"--input", "tokens=" + tokens, "--input", "targets=" + targets}),
      expected);
  EXPECT_HAS(out, "x.npy, I32, 4 samples of 2");
  EXPECT_HAS(out, " tok/s");
  EXPECT_EQ(losses({"--data", data, "--input", "targets=" + targets}),
            expected);
  // A text without targets contains more sequences only if more tokens follow.
  const std::string longer = folder.write("long", std::string("\1\2\3\4\5\6\7"
                                                              "\10\1\2"));
  EXPECT_EQ(train({"--data", longer, "--input", "targets=" + targets, "--lr",
                   "1", "--steps", "1"}),
            1);
  EXPECT_HAS(err, "long, text bytes, 5 sequences, and");
}

TEST_F(Loop, NamesInputsThatAreMissingOrTooMany) {
  const auto usage = [&](std::vector<std::string> given) {
    given.insert(given.end(), {"--lr", "1", "--steps", "1"});
    EXPECT_EQ(train(given), 2);
    return err;
  };
  EXPECT_EQ(usage({"--data", "d", "--input", "x=f"}),
            "train: error: --input x: the model has no such input; it has "
            "tokens, targets\n");
  EXPECT_EQ(
      usage({"--data", "d", "--input", "tokens=f", "--input", "targets=f"}),
      "train: error: --data feeds no input: all come from --input; drop "
      "it\n");
  EXPECT_EQ(usage({"--input", "tokens=f"}),
            "train: error: --input targets=FILE is missing; the model takes "
            "\"targets\", i32 of 2 x 2, which --data feeds only beside tokens "
            "of that shape\n");
}

TEST_F(Loop, FeedsAllMicroStepsOfALayeredPlan) {
  // Micro-step 1 has its tokens at 16, its targets at 80 and its loss at 144.
  const zrt_input both[] = {
      {"tokens", ZRT_I32, 2, loopShape, deviceRef(0, 16), 0, 0, 0, 0},
      {"targets", ZRT_I32, 2, loopShape, deviceRef(64, 16), 0, 0, 0, 0},
      {"tokens", ZRT_I32, 2, loopShape, deviceRef(16, 16), 0, 0, 1, 0},
      {"targets", ZRT_I32, 2, loopShape, deviceRef(80, 16), 0, 0, 1, 0}};
  const zrt_output losses[] = {{"loss", ZRT_F32, 1, deviceRef(144, 4)},
                               {"loss", ZRT_F32, 0, deviceRef(136, 4)}};
  const auto kernel = [](void *const *args, int64_t, int64_t) {
    auto *base = static_cast<char *>(args[0]);
    for (int micro = 0; micro < 2; ++micro) {
      const auto *tokens = reinterpret_cast<int32_t *>(base + 16 * micro);
      const auto *targets = reinterpret_cast<int32_t *>(base + 64 + 16 * micro);
      float loss = 0;
      for (int i = 0; i < 4; ++i)
        loss += float(tokens[i]) + 10 * float(targets[i]);
      *reinterpret_cast<float *>(base + 136 + 8 * micro) = loss;
    }
  };
  plan.programs[ZRT_STEP] = Table()
                                .launch(ZRT_COMPUTE, "toy.0", kernel, 1, 1,
                                        {tensor(deviceRef(0, 256))})
                                .program();
  plan.inputs = both;
  plan.input_count = 4;
  plan.outputs = losses;
  plan.output_count = 2;
  plan.accumulate = 2;
  plan.layered = 1;
  EXPECT_EQ(train(args({"--steps", "1", "--metrics", folder / "m"})), 0) << err;
  // The mean of 150 (1 2 3 4 with 2 3 4 5) and 326 (5 6 7 8 with 6 7 8 9).
  EXPECT_HAS(readFile(folder / "m"), "\"loss\":238,");
  zrt_plan p = plan;
  p.input_count = 3;
  EXPECT_HAS(errorWith(p), "has input \"targets\" 1 times, in 2 micro-steps")
      << err;
  p.input_count = 4;
  p.output_count = 1;
  EXPECT_HAS(errorWith(p), "has output \"loss\" 1 times, in 2 micro-steps")
      << err;
  p.output_count = 2;
  p.accumulate = 3;
  EXPECT_HAS(errorWith(p), "has input \"tokens\" 2 times, in 3 micro-steps")
      << err;
  p.accumulate = 2;
  p.programs[ZRT_MICRO] = p.programs[ZRT_STEP];
  EXPECT_HAS(errorWith(p), "has all micro-steps in one program, and a "
                           "program for those before the last")
      << err;
}

TEST_F(Loop, RefusesPlansItCannotFeed) {
  zrt_plan p = toyPlan();
  zrt_input more[5];
  std::copy(loopInputs, loopInputs + 4, more);
  more[4] = {"mask", ZRT_F32, 0, nullptr, deviceRef(128, 4), 0, 0, 0, 0};
  p.inputs = more;
  p.input_count = 5;
  EXPECT_HAS(errorWith(p), "wants the number \"mask\"");
  p = toyPlan();
  p.output_count = 0;
  EXPECT_HAS(errorWith(p), "no output \"loss\"");
  p = toyPlan();
  std::copy(loopInputs, loopInputs + 4, more);
  more[0].bound = 9;
  p.inputs = more;
  plan = p;
  EXPECT_EQ(train(args({"--steps", "1"})), 0);
  more[1].bound = 9;
  EXPECT_HAS(errorWith(p), "token 9 at position 8 is not 0 to 8, the "
                           "vocabulary of input \"targets\"");
  p = toyPlan();
  p.abi_version = 99;
  EXPECT_HAS(errorWith(p), "ABI version 99");
}

TEST_F(Loop, AFailingStepIsNamed) {
  plan.programs[ZRT_STEP] =
      Table()
          .launch(ZRT_COMPUTE, "toy.0",
                  [](void *const *, int64_t, int64_t) { fail("it broke"); }, 1,
                  1, {})
          .program();
  EXPECT_EQ(train(args({"--steps", "5"})), 1);
  EXPECT_HAS(err, "step 0: it broke");
}

TEST_F(Loop, ABrokenPlanIsNamedBeforeTheFirstStep) {
  plan.programs[ZRT_STEP] = Table().wait(ZRT_COMPUTE, 1000).program();
  EXPECT_EQ(train(args({"--steps", "5"})), 1);
  EXPECT_EQ(err, "train: error: program step, operation 0, wait: event 1000 "
                 "does not exist, the program has 0\n");
}

TEST_F(Loop, ThatDivergesEndsAndSavesNothing) {
  const std::vector<float> w = {1, 2, 3, 4};
  const std::string good = folder / "good";
  writeSafetensors(good, {{"w", "F32", {4}, w.data(), 16}});
  const std::string before = readFile(good);
  // w loses 3e38 in the first step, and overflows in the second.
  const auto run = [&](const char *steps) {
    auto all = args({"--steps", steps, "--init", good, "--save", good,
                     "--metrics", folder / "m"});
    *std::find(all.begin(), all.end(), "0.5") = "3e38";
    return train(all);
  };
  EXPECT_EQ(run("1000"), 3);
  EXPECT_EQ(err, "train: error: step 2: the loss is -inf; the training has "
                 "diverged and ends here, nothing is saved; try a lower --lr "
                 "or a --warmup\n");
  const std::string metrics = readFile(folder / "m");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 3);
  EXPECT_HAS(metrics, "\"nonfinite\":true}\n");
  EXPECT_HAS_NOT(out, "weights saved");
  EXPECT_EQ(readFile(good), before);
  // No later loss reveals what the last step did.
  EXPECT_EQ(run("2"), 3);
  EXPECT_EQ(err.find("train: error: after step 1, the last: parameter w is "
                     "-inf at element 0; the training has diverged"),
            0u)
      << err;
  EXPECT_EQ(readFile(good), before);
  EXPECT_EQ(run("1"), 0) << err;
}

TEST_F(Loop, RefusesWeightsThatAreNotFinite) {
  const std::vector<float> w = {1, 2, INFINITY, NAN};
  writeSafetensors(folder / "in", {{"w", "F32", {4}, w.data(), 16}});
  steps = 0;
  EXPECT_EQ(train(args({"--steps", "2", "--init", folder / "in"})), 1);
  EXPECT_HAS(err, "in: parameter w is inf at element 2");
  EXPECT_EQ(steps, 0);
}

TEST_F(Loop, RefusesWhatItCannotSaveBeforeTheFirstStep) {
  steps = 0;
  zrt_member odd = loopMember;
  zrt_bucket oddBucket = {"b0", 4, 1, 0, &odd, ZRT_UNPACKED, 0};
  plan.buckets = &oddBucket;
  for (const char *name : {"__metadata__", "w\xff"}) {
    odd.name = name;
    EXPECT_EQ(train(args({"--steps", "2", "--save", folder / "w"})), 1);
    EXPECT_HAS(err, "rename it in the model");
  }
  plan.buckets = &loopBucket;
  // The file exceeds the limit, and its signal has no handler.
  const int status = inChild(
      [] {
        const rlimit small = {100, 100};
        setrlimit(RLIMIT_FSIZE, &small);
      },
      {"--steps", "2", "--save", folder / "w"});
  EXPECT_EQ(status, 1);
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(folder.fileCount(), 2u); // the data and what the child printed
  EXPECT_HAS_NOT(readFile(folder / "printed"), "step 0");
}

TEST_F(Loop, SurvivesTheLossOfItsOutput) {
  const auto expectTrained = [&](const char *what) {
    EXPECT_EQ(weights(folder / "w"), std::vector<float>(4, 0.25f - 3.0f))
        << what;
    std::filesystem::remove(folder / "w");
  };
  const std::vector<std::string> options = {
      "--steps", "3", "--metrics", folder / "m", "--save", folder / "w"};
  // Files opened next get the numbers of the closed streams.
  EXPECT_EQ(inChild(
                [] {
                  for (int stream : {0, 1, 2})
                    close(stream);
                },
                options),
            0);
  expectTrained("closed");
  const std::string metrics = readFile(folder / "m");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 3);
  EXPECT_HAS_NOT(metrics, "loss ");
  // A full disk.
  EXPECT_EQ(inChild([] { dup2(open("/dev/full", O_WRONLY), 1); }, options), 4);
  expectTrained("full");
  EXPECT_EQ(inChild([] { dup2(open("/dev/full", O_WRONLY), 1); },
                    {"--steps", "3", "--metrics", "-", "--save", folder / "w"}),
            4);
  expectTrained("full, of metrics");
}

TEST_F(Loop, AClosedPipeEndsItAsCtrlCDoes) {
  const auto closedPipe = [] {
    int ends[2];
    (void)!pipe(ends);
    close(ends[0]);
    dup2(ends[1], 1);
  };
  for (const std::vector<std::string> &output :
       {std::vector<std::string>{"--progress", "none"},
        {"--metrics", "-", "--quiet"}}) {
    std::vector<std::string> options = {"--steps", "3", "--save", folder / "w"};
    options.insert(options.end(), output.begin(), output.end());
    EXPECT_EQ(inChild(closedPipe, options), 128 + SIGPIPE);
    EXPECT_EQ(weights(folder / "w"), std::vector<float>(4, 0.25f)) << output[0];
    std::filesystem::remove(folder / "w");
  }
  const std::string printed = readFile(folder / "printed");
  EXPECT_EQ(printed, "");
  // With --quiet it prints nothing.
  EXPECT_EQ(
      inChild(closedPipe, {"--steps", "3", "--save", folder / "w", "--quiet"}),
      0);
  EXPECT_EQ(weights(folder / "w"), std::vector<float>(4, 0.25f - 3.0f));
}

TEST_F(Loop, PrintsMetricsAndNothingElse) {
  EXPECT_EQ(train(args({"--steps", "3", "--metrics", "-"})), 0);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 3);
  EXPECT_EQ(run.out.rfind("{\"step\":0,", 0), 0u) << run.out;
  EXPECT_HAS(run.err, "final loss");
  EXPECT_FALSE(std::filesystem::exists("-"));
  // The next call prints to standard output again.
  EXPECT_EQ(train(args({"--steps", "1", "--progress", "none"})), 0);
  EXPECT_HAS(run.out, "final loss");
  EXPECT_HAS_NOT(run.out, "step 0/");
  EXPECT_EQ(run.err, "");
}

TEST(Options, ProgressIsChosen) {
  EXPECT_EQ(parse("--data=d --steps=5 --lr=1").progress, ProgressKind::Auto);
  EXPECT_EQ(parse("--data=d --steps=5 --lr=1 --progress=lines").progress,
            ProgressKind::Lines);
  EXPECT_EQ(usageError("--progress dots"),
            "--progress=dots is unknown; choose one of bar, lines, none");
  EXPECT_EQ(usageError("--progress bar --quiet"),
            "--progress=bar and --quiet exclude each other; drop one");
}

TEST_F(Loop, SaysThatTheWarmUpDoesNotEnd) {
  EXPECT_EQ(train(args({"--steps", "2", "--warmup", "4"})), 0);
  EXPECT_HAS(out, "note      --warmup=4 is above --steps=2: the learning "
                  "rate ends at 0.25\n");
  EXPECT_EQ(train(args({"--steps", "2", "--warmup", "2"})), 0);
  EXPECT_HAS_NOT(out, "above --steps");
}

} // namespace
