//===- SaveParameters.cpp - Saves the weights of all ranks to one file ----===//
//
// Rank 0 writes; the other ranks send their pieces on request, chunk by chunk
// in the order of the file.  Every rank derives that order from the plan, so a
// request is one word.
//
//   rank 0                           rank 1
//   write own pieces ...
//   "send"                ------->
//                         <-------   4 MiB
//   write them
//   the disk is full
//   "stop"                ------->   sends no more
//   agree: failed         <------>   agree
//
// Senders wait for requests, so they never run ahead of the disk.  After a
// failure the writer sends "stop" to every rank that waits for a request, so no
// rank hangs, and the final vote distributes the error message.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/Parameters.h"

#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/world/Agree.h"
#include "train/state/io/Safetensors.h"

#include <algorithm>
#include <memory>

using namespace zrt;

namespace {

constexpr int kWriter = 0;
enum Request : char { Send, Stop };

/// A unit of writing, and of sending from another rank.
struct Chunk {
  int owner;  ///< kWriter for the writer's own pieces
  zrt_ref at; ///< the place on this rank
  uint64_t bytes;
  zrt_dtype dtype; ///< in memory
};

std::vector<Chunk> chunksOf(const std::vector<Parameter> &parameters) {
  std::vector<Chunk> chunks;
  for (const Parameter &parameter : parameters) {
    const uint64_t size = dtypeBytes(parameter.dtype),
                   most = kSaveChunkBytes / size;
    for (const ParameterPiece &piece : parameter.pieces) {
      const int owner = piece.owner == kEveryRank ? kWriter : piece.owner;
      for (uint64_t at = 0; at < piece.count; at += most) {
        const uint64_t count = std::min(most, piece.count - at);
        chunks.push_back({owner, elementsOf(piece, parameter.dtype, at, count),
                          count * size, parameter.dtype});
      }
    }
  }
  return chunks;
}

/// The type in the file of elements of `dtype`.
zrt_dtype saved(zrt_dtype dtype, zrt_dtype as) {
  return dtype == ZRT_F64 ? dtype : as;
}

/// Converts elements of type `from` to `to`; f32 and 16-bit types if they
/// differ.
void convert(zrt_dtype from, zrt_dtype to, std::vector<std::byte> &data) {
  if (from == to)
    return;
  std::vector<float> values(data.size() / dtypeBytes(from));
  widen(data.data(), from, values.size(), values.data());
  data.resize(values.size() * dtypeBytes(to));
  narrow(values.data(), values.size(), to, data.data());
}

std::vector<TensorHeader> headersOf(const std::vector<Parameter> &parameters,
                                    zrt_dtype as) {
  std::vector<TensorHeader> headers;
  headers.reserve(parameters.size());
  for (const Parameter &p : parameters) {
    const zrt_dtype dtype = saved(p.dtype, as);
    headers.push_back(
        {p.name, elementName(dtype), p.shape, p.elements * dtypeBytes(dtype)});
  }
  return headers;
}

/// The file of rank 0.  It stores an error instead of throwing it, because the
/// other ranks must get "stop" first.
class Output {
public:
  template <typename Action>
  void attempt(Action action) {
    if (failure)
      return;
    try {
      action(writer);
    } catch (const std::exception &error) {
      failure = error.what();
      writer.reset(); // removes what was written
    }
  }
  std::optional<std::string> failure;

private:
  std::unique_ptr<SafetensorsWriter> writer;
};

std::optional<std::string>
writeTensors(const std::vector<Parameter> &parameters,
             const std::vector<Chunk> &chunks, const std::string &path,
             const ParameterMemory &memory, World &world, zrt_dtype as) {
  Output output;
  output.attempt([&](auto &writer) {
    writer =
        std::make_unique<SafetensorsWriter>(path, headersOf(parameters, as));
  });
  std::vector<bool> stopped(static_cast<size_t>(world.size()), false);
  std::vector<std::byte> data;
  for (const Chunk &chunk : chunks) {
    data.resize(chunk.bytes);
    if (chunk.owner == kWriter) {
      output.attempt([&](auto &) { memory.read(chunk.at, data.data()); });
    } else {
      const auto owner = static_cast<size_t>(chunk.owner);
      if (stopped[owner])
        continue;
      stopped[owner] = output.failure.has_value();
      const char request = stopped[owner] ? Stop : Send;
      world.send(chunk.owner, &request, sizeof(request));
      if (stopped[owner])
        continue;
      world.receive(chunk.owner, data.data(), chunk.bytes);
    }
    convert(chunk.dtype, saved(chunk.dtype, as), data);
    output.attempt(
        [&](auto &writer) { writer->write(data.data(), data.size()); });
  }
  output.attempt([](auto &writer) { writer->commit(); });
  return output.failure;
}

void sendOwn(const std::vector<Chunk> &chunks, const ParameterMemory &memory,
             World &world) {
  std::vector<std::byte> data;
  for (const Chunk &chunk : chunks) {
    if (chunk.owner != world.rank())
      continue;
    char request = Stop;
    world.receive(kWriter, &request, sizeof(request));
    if (request == Stop)
      return;
    data.resize(chunk.bytes);
    memory.read(chunk.at, data.data());
    world.send(kWriter, data.data(), chunk.bytes);
  }
}

} // namespace

void zrt::checkSave(const std::vector<Parameter> &parameters,
                    const std::string &path, zrt_dtype as) {
  const std::vector<TensorHeader> tensors = headersOf(parameters, as);
  uint64_t bytes = safetensorsHeader(tensors).size();
  for (const TensorHeader &tensor : tensors)
    bytes += tensor.bytes;
  checkWritable(path, bytes);
}

void zrt::saveParameters(const std::vector<Parameter> &parameters,
                         const std::string &path, const ParameterMemory &memory,
                         World &world, zrt_dtype as) {
  const std::vector<Chunk> chunks = chunksOf(parameters);
  std::optional<std::string> failure;
  if (world.rank() == kWriter)
    failure = writeTensors(parameters, chunks, path, memory, world, as);
  else
    sendOwn(chunks, memory, world);
  agree(world, failure);
}
