//===- Reader.h - State from a checkpoint -----------------------*- C++ -*-===//
//
// Two passes, so that what does not fit or is damaged changes nothing: `verify`
// compares every byte with its hash, ranks sharing the work; then `load` reads
// what this rank holds, and no more.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/State.h"
#include "runtime/io/Safetensors.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

class CheckpointReader {
public:
  /// Reads the manifest and the files' headers in the folder `path`.  Throws
  /// zrt::Error, which names the file: missing, cut, or not what was written.
  explicit CheckpointReader(const std::string &path);

  const std::string &path() const { return folder; }
  const Manifest &manifest() const { return stated; }
  /// One of the adapters that the run has trained, or nullptr.
  const ParameterRecord *findAdapter() const;
  /// A hash of the manifest, the same on all ranks that read one checkpoint.
  uint64_t identity() const { return manifestHash; }

  /// Throws zrt::Error unless it has what `state` needs: the parameters by name
  /// and shape, and every slot, of types that can be converted.
  void checkFits(const State &state) const;
  /// A line for each thing that is not as it was: types that change, slots that
  /// nobody needs.
  std::vector<std::string> notes(const State &state) const;
  /// Throws zrt::Error for bytes that are not what was written, with the file, its
  /// tensors and their range.  Of `ranks` ranks, which look at all together.
  void verify(int rank, int ranks, int threads) const;
  /// Writes all of `state` that this rank holds, once it fits.
  void load(const State &state, const ParameterMemory &memory) const;

  /// What elements of a parameter are in slot "param".
  zrt_dtype typeOf(const std::string &parameter) const;
  /// Reads elements [first, first + out.size()) of a parameter; T is float, which
  /// those of 16 bits are widened to, double for f64, or std::byte for those of a
  /// packed one.  Throws zrt::Error.
  template <typename T>
  void read(std::string_view slot, const std::string &parameter, uint64_t first,
            std::vector<T> &out) const {
    readElements(piecesOf(std::string(slot), parameter), first, out);
  }

private:
  using Pieces = std::vector<const TensorRecord *>; ///< by their first element
  const Pieces &piecesOf(const std::string &slot,
                         const std::string &parameter) const;
  std::string filePath(const FileRecord &file) const;
  void openFile(const FileRecord &file);
  void verifyBlock(size_t file, uint64_t block) const;
  /// Reads elements [first, first + out.size()), widened to f32 or f64, or bytes.
  template <typename T>
  void readElements(const Pieces &pieces, uint64_t first,
                    std::vector<T> &out) const;
  void loadSlot(const std::string &slot,
                const std::vector<Parameter> &parameters,
                const ParameterMemory &memory) const;

  const std::string folder;
  uint64_t manifestHash = 0;
  Manifest stated;
  std::vector<std::unique_ptr<const SafetensorsFile>> files;
  std::map<std::pair<std::string, std::string>, Pieces> bySlot;
};

/// Whether `path` is a checkpoint, damaged or not, or a folder of them.  Other
/// programs have a manifest.json, too.
bool isCheckpoint(const std::string &path);

/// The checkpoint that `path` means: itself where it is one, else the newest in
/// it.  Throws zrt::Error when there is none.
std::string findCheckpoint(const std::string &path);

/// The newest checkpoint beside `path`, before it, whose every byte is as it was
/// written; "" when there is none.
std::string intactBefore(const std::string &path);

} // namespace zrt
