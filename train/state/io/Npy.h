//===- Npy.h - NumPy's file format ------------------------------*- C++ -*-===//
//
//   6 bytes   "\x93NUMPY"
//   2 bytes   version, 1.0 to 3.0
//   2 or 4    header length H, little endian; 2 bytes in version 1
//   H bytes   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//   the rest  data
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/io/InputFile.h"
#include "train/state/io/Safetensors.h"

namespace zrt {

/// Returns true if the file begins with NumPy's magic bytes.
bool isNpy(const InputFile &file);

/// The tensor of a NumPy file, with safetensors' type names: "F32" for '<f4'.
/// Throws zrt::Error if the header is invalid or does not fit the file.
TensorEntry readNpy(const InputFile &file);

} // namespace zrt
