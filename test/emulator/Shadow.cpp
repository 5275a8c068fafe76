//===- Shadow.cpp - The last accesses to each word ------------------------===//
#include "Shadow.h"

#include <cstring>

using namespace zge;

Shadow::Word &Shadow::wordAt(uintptr_t address) {
  const uintptr_t number = address / kPageBytes;
  if (number != lastNumber) {
    auto &page = pages[number];
    if (!page) {
      page = std::make_unique_for_overwrite<Page>();
      page->generations.fill(0);
    }
    last = page.get();
    lastNumber = number;
  }
  const uintptr_t word = address % kPageBytes / 4;
  if (last->generations[word] != generation) {
    last->words[word].fill(0);
    last->generations[word] = generation;
  }
  return last->words[word];
}
