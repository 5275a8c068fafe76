//===- Parameters.h - The parameters of a run, by name ----------*- C++ -*-===//
#ifndef ZRT_IO_PARAMETERS_H
#define ZRT_IO_PARAMETERS_H

#include "runtime/zrt.h"

#include <cstddef>
#include <string>
#include <vector>

namespace zrt {

/// One parameter and where its values are.
struct Parameter {
  const zrt_member *member;
  zrt_dtype dtype; ///< f32 or f64
  std::byte *data; ///< `member->count` values
};

/// All parameters of `plan` in member order.  Throws when the plan contradicts
/// itself: a bucket without its "param" state, members that overlap it, two
/// parameters of one name.
std::vector<Parameter> findParameters(const zrt_plan &plan, zrt_context *ctx);

/// Sets every parameter from the safetensors file at `path`.  Names may differ
/// by Hugging Face's leading "transformer.", in either direction.  BF16 and F16
/// are widened, exactly.  Throws before anything is changed when a tensor is
/// missing or does not fit.  Returns a warning that names tensors of the file
/// which the model does not have, or "".
std::string loadParameters(const std::vector<Parameter> &parameters,
                           const std::string &path);

/// Writes every parameter to a safetensors file.
void saveParameters(const std::vector<Parameter> &parameters,
                    const std::string &path);

} // namespace zrt

#endif // ZRT_IO_PARAMETERS_H
