//===- NumberBlocks.cpp - Numbers in blocks with a common scale -----------===//
#include "runtime/numbers/NumberBlocks.h"

#include "runtime/numbers/Clones.h"

using namespace zrt;

// target_clones does not work on templates.
ZRT_CLONES static void makeBlocks8(const float *numbers, size_t blocks,
                                   std::byte *to) {
  for (size_t i = 0; i < blocks; ++i)
    quantizeBlock<8>(numbers + i * kNumbers, to + i * kBlockBytes<8>);
}
ZRT_CLONES static void makeBlocks4(const float *numbers, size_t blocks,
                                   std::byte *to) {
  for (size_t i = 0; i < blocks; ++i)
    quantizeBlock<4>(numbers + i * kNumbers, to + i * kBlockBytes<4>);
}
ZRT_CLONES static void readBlocks8(const std::byte *from, size_t blocks,
                                   float *numbers) {
  for (size_t i = 0; i < blocks; ++i)
    dequantizeBlock<8>(from + i * kBlockBytes<8>, numbers + i * kNumbers);
}
ZRT_CLONES static void readBlocks4(const std::byte *from, size_t blocks,
                                   float *numbers) {
  for (size_t i = 0; i < blocks; ++i)
    dequantizeBlock<4>(from + i * kBlockBytes<4>, numbers + i * kNumbers);
}

void zrt::quantizeBlocks(const float *numbers, size_t blocks, zrt_dtype dtype,
                         std::byte *to) {
  (dtype == ZRT_BLOCK8 ? makeBlocks8 : makeBlocks4)(numbers, blocks, to);
}

void zrt::dequantizeBlocks(const std::byte *from, zrt_dtype dtype,
                           size_t blocks, float *numbers) {
  (dtype == ZRT_BLOCK8 ? readBlocks8 : readBlocks4)(from, blocks, numbers);
}
