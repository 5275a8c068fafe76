//===- HostAccess.h - Host reads and writes of device memory ----*- C++ -*-===//
//
// The memory of a plan belongs to a device.  Host code accesses it by zrt_read
// and zrt_write only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/text/Error.h"
#include "train/state/io/Parameters.h"

namespace zrt {

/// Copies all bytes of `from`.  Throws zrt::Error.
inline void readBytes(zrt_context *ctx, const zrt_ref &from, void *to) {
  if (zrt_read(ctx, &from, to, from.bytes) != 0)
    throw Error(zrt_error_message(ctx));
}

/// Copies `from` to all bytes of `to`.  Throws zrt::Error.
inline void writeBytes(zrt_context *ctx, const zrt_ref &to, const void *from) {
  if (zrt_write(ctx, &to, from, to.bytes) != 0)
    throw Error(zrt_error_message(ctx));
}

/// The first value at `from`.
template <typename T>
T readValue(zrt_context *ctx, zrt_ref from) {
  T value;
  from.bytes = sizeof(T);
  readBytes(ctx, from, &value);
  return value;
}

/// Sets the first value at `to`.
template <typename T>
void writeValue(zrt_context *ctx, zrt_ref to, T value) {
  to.bytes = sizeof(T);
  writeBytes(ctx, to, &value);
}

/// The parameters of a context, which must outlive this.
class ContextMemory final : public ParameterMemory {
public:
  explicit ContextMemory(zrt_context *ctx) : ctx(ctx) {}
  void read(const zrt_ref &from, void *to) const override {
    readBytes(ctx, from, to);
  }
  void write(const zrt_ref &to, const void *from) const override {
    writeBytes(ctx, to, from);
  }

private:
  zrt_context *const ctx;
};

} // namespace zrt
