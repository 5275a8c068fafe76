//===- TileAttention.h - Attention by a model of AMX's tiles ----*- C++ -*-===//
#pragma once

#include "runtime/device/cpu/attention/Attention.h"

namespace zrt {

namespace tile_attention {
void attend(const AttentionOf<Brain> &attention, float *memory);
void attendBackward(const AttentionBackwardOf<Brain> &attention, float *memory);
} // namespace tile_attention

namespace tile_attention_fp16 {
void attend(const AttentionOf<Half> &attention, float *memory);
void attendBackward(const AttentionBackwardOf<Half> &attention, float *memory);
} // namespace tile_attention_fp16

} // namespace zrt
