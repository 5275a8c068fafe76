//===- Entry.h - One operation of a stream ----------------------*- C++ -*-===//
#ifndef ZRT_CORE_ENTRY_H
#define ZRT_CORE_ENTRY_H

#include "runtime/zrt.h"

namespace zrt {

/// What a call of zrt enqueues; the fields in use follow from `kind`.
struct Entry {
  enum class Kind : uint32_t {
    Launch,
    Matmul,
    Update,
    SumSquares,
    Collective,
    Copy,
    Record,
    Wait
  };
  Kind kind = Kind::Record;
  uint32_t event = 0;
  const zrt_launch_desc *launch = nullptr;
  const zrt_matmul_desc *matmul = nullptr;
  const zrt_update_desc *update = nullptr;
  const zrt_squares_desc *squares = nullptr;
  const zrt_collective_desc *collective = nullptr;
  zrt_ref from = {}, to = {};
};

} // namespace zrt

#endif // ZRT_CORE_ENTRY_H
