//===- Reader.h - Verifies and loads a checkpoint ---------------*- C++ -*-===//
//
// Works in two passes, so that a checkpoint that does not fit or is damaged
// changes nothing: `verify` compares every byte with its hash, and ranks share
// the work; then `load` reads only what this rank holds.  Frozen parameters
// that are in the base (Base.h) are read from there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/Base.h"
#include "train/state/checkpoint/Manifest.h"
#include "train/state/checkpoint/State.h"
#include "train/state/io/PackParameters.h"
#include "train/state/io/Safetensors.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace zrt {

class CheckpointReader {
public:
  /// Reads the manifest and the files' headers in the folder `path`.  Throws
  /// zrt::Error with the file's name if one is missing, truncated or changed.
  explicit CheckpointReader(const std::string &path);

  const std::string &path() const { return folder; }
  const Manifest &manifest() const { return stated; }
  /// A parameter of the adapters that the run has trained, or nullptr.
  const ParameterRecord *findAdapter() const;
  /// A hash of the manifest, to compare the ranks' checkpoints.
  uint64_t identity() const { return manifestHash; }

  /// Opens the base, if the checkpoint has one: the files of `moved`, or if
  /// that is "", those that the run has read.  Call it before anything is read.
  /// Throws zrt::Error for files that are not there, or others.
  void openBase(const std::string &moved);
  /// Gives away the base that is open; nullptr if there is none.
  std::unique_ptr<const Base> takeBase() { return std::move(base); }
  /// Throws zrt::Error if a block of `share` is of another base.
  void verifyBase(const BlockShare &share) const;

  /// Throws zrt::Error unless it has all that `state` needs: the parameters by
  /// name and shape, and every slot, with types that can be converted.
  void checkFits(const State &state) const;
  /// A line for each difference from the checkpoint: types that change, slots
  /// that the plan does not use.
  std::vector<std::string> notes(const State &state) const;
  /// Throws zrt::Error for damaged bytes, with the file, its tensors and their
  /// range.  Each of `ranks` ranks verifies its share.
  void verify(int rank, int ranks, int threads) const;
  /// Loads all of `state` that this rank holds.  Call checkFits first.
  void load(const State &state, const ParameterMemory &memory) const;

  /// The type of a parameter's elements in slot "param".
  zrt_dtype typeOf(const std::string &parameter) const;
  /// Reads elements [first, first + out.size()) of a parameter, those of the
  /// base as the run kept them: rounded, or packed.  T is float
  /// (16-bit elements are widened), double for f64, or std::byte for packed
  /// parameters.  Throws zrt::Error.
  template <typename T>
  void read(std::string_view slot, const std::string &parameter, uint64_t first,
            std::vector<T> &out) const {
    const ParameterRecord *inBase = findInBase(slot, parameter);
    readEither(inBase, std::string(slot), parameter, first, out);
    if constexpr (std::is_same_v<T, float>)
      if (inBase)
        roundAsStored(asStored(*inBase), out);
  }

  /// The same in f32, of a slot "param" that may be packed; then `first` begins
  /// a run.
  void readNumbers(const ParameterRecord &parameter, uint64_t first,
                   std::vector<float> &out) const;

private:
  using Pieces = std::vector<const TensorRecord *>; ///< sorted by their first
                                                    ///< element
  const Pieces &piecesOf(const std::string &slot,
                         const std::string &parameter) const;
  /// The record of a parameter if its elements in `slot` are in the base.
  const ParameterRecord *findInBase(std::string_view slot,
                                    const std::string &parameter) const;
  [[noreturn]] void failOtherBase(const std::string &what) const;
  std::set<zrt_dtype> typesOf(const std::string &slot,
                              const std::string &parameter) const;
  std::string filePath(const FileRecord &file) const;
  void openFile(const FileRecord &file);
  void verifyBlock(size_t file, uint64_t block) const;
  /// Reads elements [first, first + out.size()) as f32, f64 or bytes.
  template <typename T>
  void readElements(const Pieces &pieces, uint64_t first,
                    std::vector<T> &out) const;
  template <typename T>
  void readBase(const ParameterRecord &parameter, uint64_t first,
                std::vector<T> &out) const;
  template <typename T>
  void readEither(const ParameterRecord *inBase, const std::string &slot,
                  const std::string &parameter, uint64_t first,
                  std::vector<T> &out) const {
    if (inBase)
      readBase(*inBase, first, out);
    else
      readElements(piecesOf(slot, parameter), first, out);
  }
  static Parameter asStored(const ParameterRecord &record);
  void loadSlot(const std::string &slot,
                const std::vector<Parameter> &parameters,
                const ParameterMemory &memory) const;

  const std::string folder;
  uint64_t manifestHash = 0;
  Manifest stated;
  std::vector<std::unique_ptr<const SafetensorsFile>> files;
  std::map<std::pair<std::string, std::string>, Pieces> bySlot;
  std::unique_ptr<const Base> base;
};

/// Returns true if `path` is a checkpoint, damaged or not, or a folder of
/// checkpoints.  A manifest.json alone does not suffice: other programs use
/// that name, too.
bool isCheckpoint(const std::string &path);

/// Returns `path` if it is a checkpoint, else the newest checkpoint in it.
/// Throws zrt::Error if there is none.
std::string findCheckpoint(const std::string &path);
/// That of the best evaluation in the folder `path`.  Throws zrt::Error without
/// one.
std::string findBestCheckpoint(const std::string &path);

/// The newest intact checkpoint in the same folder with an earlier step than
/// `path`; "" if there is none.
std::string intactBefore(const std::string &path);

} // namespace zrt
