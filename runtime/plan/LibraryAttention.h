//===- LibraryAttention.h - Launches that a library computes ----*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <algorithm>

namespace zrt {

/// Returns how a library computes `launch`; nullptr if a kernel does.
inline const zrt_device_attention *attentionOf(const zrt_plan &plan,
                                               const zrt_launch_desc &launch) {
  const zrt_device_attention *begin = plan.device_attentions,
                             *end = begin + plan.device_attention_count;
  const zrt_device_attention *found = std::find_if(
      begin, end, [&](const auto &one) { return one.fn == launch.fn; });
  return found == end ? nullptr : found;
}

} // namespace zrt
