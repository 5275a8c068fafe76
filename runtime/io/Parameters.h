//===- Parameters.h - The parameters of a run, by name ----------*- C++ -*-===//
//
// A parameter is one tensor of a weights file.  A plan cuts it twice: by rows
// into members of several buckets, and each sharded bucket into one slice a
// rank.
//
//   parameter w          |----------------------------------|
//   members              |-- of b3 -------|-- of b4 --------|
//   slices of 2 ranks    |  rank 0  | r 1 |  rank 0  |  r 1 |
//   pieces               |----------|-----|----------|------|
//
// Where the pieces are follows from the plan alone, so every rank knows who
// holds what without asking.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"
#include "runtime/zrt.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The owner of a piece that every rank holds.
constexpr int kEveryRank = -1;

/// Elements [first, first + count) of a parameter.
struct ParameterPiece {
  uint64_t first, count;
  int owner;  ///< the rank that holds them, or kEveryRank
  zrt_ref at; ///< of 0 bytes where this rank does not
  bool here() const { return at.bytes != 0; }
};

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  uint64_t elements;
  zrt_dtype dtype; ///< f32, bf16 or f16; i8 where it is packed
  zrt_init init;
  /// Of all ranks, in element order; they hold each element once.
  std::vector<ParameterPiece> pieces;
  bool frozen = false; ///< not trained
  /// ZRT_NF4, ...: `elements` and those of pieces are the bytes of its packed form.
  uint32_t packing = ZRT_UNPACKED;
};

/// Where the pieces of this rank lie: a device, which host code reads and
/// writes in no other way.  All bytes of a ref are copied.  Any thread; both
/// throw zrt::Error.
class ParameterMemory {
public:
  virtual ~ParameterMemory() = default;
  virtual void read(const zrt_ref &from, void *to) const = 0;
  virtual void write(const zrt_ref &to, const void *from) const = 0;
};

/// Whether parameters of `plan` are the roundings of masters, which training
/// changes, and files hold.
bool hasMasters(const zrt_plan &plan);

/// Parameters of `plan`, by name, so that a file does not depend on how the plan
/// lays them out, with the places of what `rank` holds in state `slot`: of a slot
/// that is not "param", those that are trained.  Throws when the plan contradicts
/// itself: a bucket without that state, members that overlap its end, members of
/// one name that do not tile one parameter.
std::vector<Parameter> findParameters(const zrt_plan &plan, int rank,
                                      std::string_view slot = "param");
/// All parameters, as they are exactly: the master where there is one.
std::vector<Parameter> findExactParameters(const zrt_plan &plan, int rank);
/// Parameters that are the roundings of masters.
std::vector<Parameter> findRoundings(const zrt_plan &plan, int rank);

/// Elements [first, first + count) of a piece that lies here.
zrt_ref elementsOf(const ParameterPiece &piece, zrt_dtype dtype, uint64_t first,
                   uint64_t count);

/// Sets what this rank holds from the safetensors files that `path` means (see
/// WeightFiles.h), and reads no other elements.  Names may differ by Hugging
/// Face's leading "transformer.", "model." or "gpt_neox.", in either direction.
/// Elements of 16 bits become f32 exactly, and parameters of 16 bits are rounded
/// from f32; others are packed.  Throws before anything is changed when a tensor is
/// missing or does not fit, and for an element that cannot be packed.  Returns a
/// warning that names tensors of the file which the model does not have, or "".
std::string loadParameters(const std::vector<Parameter> &parameters,
                           const std::string &path,
                           const ParameterMemory &memory);

/// Writes every parameter to one safetensors file, those of f32 and of 16 bits as
/// `as`: f32, bf16 or f16.  All ranks call it; rank 0 writes, and no rank holds more
/// than its own pieces and one chunk.  Throws on every rank when the file could
/// not be written on rank 0.
void saveParameters(const std::vector<Parameter> &parameters,
                    const std::string &path, const ParameterMemory &memory,
                    World &world, zrt_dtype as = ZRT_F32);

/// Whether the files that `path` means have a tensor for any of `parameters`.
/// Throws zrt::Error.
bool holdsAny(const std::string &path,
              const std::vector<Parameter> &parameters);

/// Throws unless saveParameters could write the file at `path` now: a name that
/// the format cannot hold, a folder that is not writable, a disk that is full.
void checkSave(const std::vector<Parameter> &parameters,
               const std::string &path, zrt_dtype as = ZRT_F32);

/// The first value of this rank that is not finite, as "parameter w is nan at
/// element 3"; "" when there is none.  What is packed is finite.
std::string firstNonfinite(const std::vector<Parameter> &parameters,
                           const ParameterMemory &memory);

/// The first value of this rank that would be infinite as a `dtype`, likewise.
std::string firstBeyond(const std::vector<Parameter> &parameters,
                        const ParameterMemory &memory, zrt_dtype dtype);

/// What travels at once when parameters are saved.
constexpr uint64_t kSaveChunkBytes = uint64_t{4} << 20;

} // namespace zrt
