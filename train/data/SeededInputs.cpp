//===- SeededInputs.cpp - Writes random data for a plan's inputs ----------===//
#include "train/data/SeededInputs.h"

#include "runtime/hash/Hash.h"
#include "runtime/numbers/Philox.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/data/Feed.h"
#include "train/state/io/InputValues.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMostBytes = uint64_t{256} << 20;

uint64_t sampleBytes(const zrt_input &input) {
  return sampleElements(input) * dtypeBytes(input.dtype);
}

void putValue(const zrt_input &input, std::byte *row, uint64_t i,
              uint32_t bits) {
  if (input.dtype == ZRT_F32) {
    const float value = float(int32_t(bits >> 8) - (1 << 23)) / float(1 << 23);
    std::memcpy(row + i * sizeof(value), &value, sizeof(value));
  } else {
    // Integers without a bound are probably flags.
    const int64_t bound = input.bound > 0 ? input.bound : 2;
    putInteger(input, row, i, int64_t(bits) % bound);
  }
}

} // namespace

std::string zrt::npyHeader(zrt_dtype dtype, const std::vector<int64_t> &shape) {
  const char *type = dtype == ZRT_F32   ? "<f4"
                     : dtype == ZRT_I32 ? "<i4"
                                        : "<i8";
  std::string text = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
      fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // The header ends with a newline, at a multiple of 64 bytes.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(text.size() & 0xff) +
         char(text.size() >> 8) + text;
}

SeededInputs::SeededInputs(const zrt_plan &plan, uint64_t seed,
                           uint64_t samples, uint64_t fewest) {
  std::string pattern =
      (fs::temp_directory_path() / "zrt-check-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    fail("cannot make a folder in {}: {}; set TMPDIR",
         fs::temp_directory_path().string(), errnoText());
  folder = pattern;
  try {
    for (const zrt_input *input : fedInputs(plan))
      samples =
          std::clamp(kMostBytes / std::max<uint64_t>(sampleBytes(*input), 1),
                     fewest, std::max(samples, fewest));
    for (const zrt_input *input : fedInputs(plan))
      write(*input, seed, samples);
  } catch (...) {
    remove();
    throw;
  }
}

void SeededInputs::write(const zrt_input &input, uint64_t seed,
                         uint64_t samples) {
  const std::string path = fmt::format("{}/{}.npy", folder, files.size());
  std::ofstream file(path, std::ios::binary);
  std::vector<int64_t> shape = sampleShape(input);
  shape.insert(shape.begin(), int64_t(samples));
  file << npyHeader(input.dtype, shape);
  std::vector<std::byte> row(sampleBytes(input));
  const uint64_t name = Hash::of(input.name);
  for (uint64_t sample = 0; sample < samples; ++sample) {
    for (uint64_t i = 0; i < sampleElements(input); ++i) {
      const auto bits = philox4x32(
          {uint32_t(i), uint32_t(i >> 32), uint32_t(sample), uint32_t(name)},
          {uint32_t(seed), uint32_t(seed >> 32)});
      putValue(input, row.data(), i, bits[0]);
    }
    file.write(reinterpret_cast<const char *>(row.data()),
               std::streamsize(row.size()));
  }
  if (!file.flush())
    fail("cannot write {}: {}; set TMPDIR to a folder with room", path,
         errnoText());
  files.emplace_back(input.name, path);
}

void SeededInputs::remove() {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

SeededInputs::~SeededInputs() { remove(); }
