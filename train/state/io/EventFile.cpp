//===- EventFile.cpp - Writes scalars for TensorBoard ---------------------===//
#include "train/state/io/EventFile.h"

#include "runtime/hash/Crc32.h"
#include "runtime/text/Error.h"

#include <bit>
#include <chrono>
#include <filesystem>
#include <unistd.h>

using namespace zrt;

namespace {

template <typename Integer>
void addFixed(std::string &bytes, Integer value) {
  for (size_t i = 0; i < sizeof(value); ++i)
    bytes += static_cast<char>(value >> (8 * i));
}

void addVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

/// The wire types of protocol buffers.
enum Wire : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void addKey(std::string &message, uint32_t field, Wire wire) {
  addVarint(message, field << 3 | wire);
}
void addBytes(std::string &message, uint32_t field, std::string_view value) {
  addKey(message, field, Bytes);
  addVarint(message, value.size());
  message += value;
}

/// An event with the current time.
std::string eventAt(int64_t step) {
  const double seconds =
      std::chrono::duration<double>(
          std::chrono::system_clock::now().time_since_epoch())
          .count();
  std::string event;
  addKey(event, 1, Fixed64);
  addFixed(event, std::bit_cast<uint64_t>(seconds));
  addKey(event, 2, Varint);
  addVarint(event, static_cast<uint64_t>(step));
  return event;
}

/// TFRecord's mask: a CRC of data that contains its own CRC is degenerate.
uint32_t masked(uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8u; }

} // namespace

void EventFile::append(const std::string &event, std::string_view part) {
  std::string record;
  addFixed(record, static_cast<uint64_t>(event.size()));
  addFixed(record, masked(crc32c(record)));
  record += event;
  addFixed(record, masked(crc32c(event)));
  file.write(record, part);
}

void EventFile::open(const std::string &folder, int64_t step) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    fail("events: cannot make the folder {}: {}", folder, error.message());
  char host[256] = "host";
  (void)gethostname(host, sizeof(host) - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  file.open(
      fmt::format("{}/events.out.tfevents.{}.{}.{}", folder,
                  std::chrono::duration_cast<std::chrono::seconds>(now).count(),
                  host, getpid()));
  std::string version = eventAt(0);
  addBytes(version, 3, "brain.Event:2");
  append(version, "the start");
  if (step == 0)
    return;
  std::string start = eventAt(step), status;
  addKey(status, 1, Varint);
  addVarint(status, 1);
  addBytes(start, 7, status);
  append(start, "the start");
}

void EventFile::write(int64_t step, std::span<const Scalar> scalars) {
  std::string summary;
  for (const Scalar &scalar : scalars) {
    std::string value;
    addBytes(value, 1, scalar.tag);
    addKey(value, 2, Fixed32);
    addFixed(value, std::bit_cast<uint32_t>(static_cast<float>(scalar.value)));
    addBytes(summary, 1, value);
  }
  std::string event = eventAt(step);
  addBytes(event, 5, summary);
  append(event, fmt::format("step {}", step));
}
