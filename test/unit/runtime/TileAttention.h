//===- TileAttention.h - Attention by a model of AMX's tiles ----*- C++ -*-===//
#pragma once

#include "runtime/device/cpu/attention/Attention.h"

namespace zrt::tile_attention {

void attend(const AttentionOf<Brain> &attention, float *memory);
void attendBackward(const AttentionBackwardOf<Brain> &attention, float *memory);

} // namespace zrt::tile_attention
