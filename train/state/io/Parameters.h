//===- Parameters.h - The parameters of a run, by name ----------*- C++ -*-===//
//
// A parameter is one tensor of a weights file.  A plan divides it twice: by
// rows into members of several buckets, and each bucket that is not whole on
// every rank into one slice per rank.
//
//   parameter w          |----------------------------------|
//   members              |-- of b3 -------|-- of b4 --------|
//   slices of 2 ranks    |  rank 0  | r 1 |  rank 0  |  r 1 |
//   pieces               |----------|-----|----------|------|
//
// The places of the pieces depend on the plan only, so every rank knows the
// owner of each piece without communication.  Where groups keep buckets in
// parts, each group has all pieces, and others have copies of a piece.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/world/World.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

class WeightFiles;

/// The owner of a piece that every rank holds.
constexpr int kEveryRank = -1;

/// Elements [first, first + count) of a parameter.
struct ParameterPiece {
  uint64_t first, count;
  int owner;  ///< the rank that saves them, or kEveryRank
  zrt_ref at; ///< 0 bytes if this rank does not hold them
  bool here() const { return at.bytes != 0; }
};

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  uint64_t elements;
  zrt_dtype dtype; ///< f64, f32, bf16 or f16; i8 if it is packed
  zrt_init init;
  /// The pieces of all owners, in element order; they tile the parameter.
  std::vector<ParameterPiece> pieces;
  bool frozen = false; ///< not trained
  /// For ZRT_NF4, ..., `elements` and the pieces count bytes of the packed
  /// form.
  uint32_t packing = ZRT_UNPACKED;
  /// The tensor of the run's base that a checkpoint names in place of these
  /// elements, or "".
  std::string tensor = {};
};

/// The memory of this rank's pieces.  It belongs to a device; host code
/// accesses it only by these functions, which copy all bytes of a ref.  Any
/// thread; both throw zrt::Error.
class ParameterMemory {
public:
  virtual ~ParameterMemory() = default;
  virtual void read(const zrt_ref &from, void *to) const = 0;
  virtual void write(const zrt_ref &to, const void *from) const = 0;
};

/// Returns true if parameters of `plan` are roundings of masters.  Then
/// training updates the masters, and files hold the masters.
bool hasMasters(const zrt_plan &plan);

/// The parameters of `plan`, sorted by name so that a file does not depend on
/// the plan's layout, with the places that `rank` holds in state `slot`.  A
/// slot other than "param" has trained parameters only.  Throws if the plan is
/// inconsistent: a bucket without that state, members that exceed its end,
/// members of one name that do not tile one parameter.
std::vector<Parameter> findParameters(const zrt_plan &plan, int rank,
                                      std::string_view slot = "param");
/// All parameters at full precision: the master if there is one.
std::vector<Parameter> findExactParameters(const zrt_plan &plan, int rank);
/// Parameters that are the roundings of masters.
std::vector<Parameter> findRoundings(const zrt_plan &plan, int rank);

/// Elements [first, first + count) of a piece that this rank holds.
zrt_ref elementsOf(const ParameterPiece &piece, zrt_dtype dtype, uint64_t first,
                   uint64_t count);

/// Fills this rank's pieces of a parameter, some elements at a time: calls
/// `read(first, values)`, which sets all of `values` to elements from `first`
/// on.  They have the parameter's type, but f32 for 16-bit floats, which are
/// then narrowed, and bytes for packed parameters.
template <typename Read>
void fillPieces(const Parameter &parameter, const ParameterMemory &memory,
                Read read) {
  constexpr uint64_t kAtOnce = uint64_t{64} << 10;
  const auto fill = [&]<typename T>(const ParameterPiece &piece, T) {
    std::vector<T> values;
    for (uint64_t at = 0; at < piece.count; at += kAtOnce) {
      values.resize(std::min(kAtOnce, piece.count - at));
      read(piece.first + at, values);
      if constexpr (sizeof(T) == sizeof(float))
        narrowInPlace(parameter.dtype, values.data(), values.size());
      memory.write(elementsOf(piece, parameter.dtype, at, values.size()),
                   values.data());
    }
  };
  for (const ParameterPiece &piece : parameter.pieces)
    if (!piece.here())
      continue;
    else if (parameter.dtype == ZRT_I8)
      fill(piece, std::byte());
    else if (parameter.dtype == ZRT_F64)
      fill(piece, double());
    else
      fill(piece, float());
}

/// Loads this rank's pieces from the safetensors files of `path` (see
/// WeightFiles.h).  Names may differ by Hugging Face's prefix "transformer.",
/// "model." or "gpt_neox.", in either direction, and by what all names of the
/// files begin with, such as "module.".
/// 16-bit elements are widened to f32 exactly, and 16-bit parameters are
/// rounded from f32; packed parameters are packed.  Throws before anything has
/// changed if a tensor is missing or does not fit, and also for an element that
/// cannot be packed.  Returns a warning that names tensors of the file which
/// the model lacks, or "" (see OtherTensors.h).
std::string loadParameters(const std::vector<Parameter> &parameters,
                           const std::string &path,
                           const ParameterMemory &memory,
                           bool needsHead = false);

/// The tensor of `files` that loadParameters reads for parameter `name`, or "".
std::string tensorFor(const WeightFiles &files, const std::string &name);

/// Whether a tensor of a model of images and text is of its model of text.
bool isOfText(std::string_view tensor);

/// Elements of `parameter` in the files of `path`, where loadParameters finds
/// it; f32.
using ElementSource =
    std::function<void(uint64_t first, uint64_t count, float *to)>;
ElementSource elementsIn(const std::string &path, const Parameter &parameter);

/// Writes every parameter to one safetensors file; f32 and 16-bit parameters as
/// type `as`: f32, bf16 or f16.  All ranks call it; rank 0 writes, and no rank
/// needs memory for more than its own pieces and one chunk.  Throws on every
/// rank if rank 0 could not write the file.
void saveParameters(const std::vector<Parameter> &parameters,
                    const std::string &path, const ParameterMemory &memory,
                    World &world, zrt_dtype as = ZRT_F32);

/// Returns true if the files of `path` have a tensor for any of `parameters`.
/// Throws zrt::Error.
bool holdsAny(const std::string &path,
              const std::vector<Parameter> &parameters);

/// Throws unless saveParameters could write the file at `path` now: for a name
/// that the format does not allow, a folder that is not writable, a full disk.
void checkSave(const std::vector<Parameter> &parameters,
               const std::string &path, zrt_dtype as = ZRT_F32);

/// Reports this rank's first nonfinite value, as "parameter w is nan at element
/// 3", or "".  Packed parameters are always finite.
std::string firstNonfinite(const std::vector<Parameter> &parameters,
                           const ParameterMemory &memory);

/// Values become infinite as a bf16 or f16 from this magnitude on.
double limitOf(zrt_dtype dtype);
/// Reports this rank's first value that would be infinite as a `dtype`, or "".
std::string firstBeyond(const std::vector<Parameter> &parameters,
                        const ParameterMemory &memory, zrt_dtype dtype);

/// The largest message, in bytes, when parameters are saved.
constexpr uint64_t kSaveChunkBytes = uint64_t{4} << 20;

} // namespace zrt
