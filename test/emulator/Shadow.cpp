//===- Shadow.cpp - The last accesses to each word ------------------------===//
#include "Shadow.h"

#include <cstring>

using namespace zge;

Shadow::Word &Shadow::wordAt(uintptr_t address) {
  const uintptr_t number = address / kPageBytes;
  if (number != lastNumber) {
    auto &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    last = page.get();
    lastNumber = number;
  }
  if (last->generation != generation) {
    for (Word &word : last->words)
      word.fill(0);
    last->generation = generation;
  }
  return last->words[address % kPageBytes / 4];
}
