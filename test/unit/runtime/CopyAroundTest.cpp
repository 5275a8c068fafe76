#include "runtime/core/CopyAround.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <vector>

using namespace zrt;

namespace {

TEST(CopyAround, CopiesAnySizeToAnyPlaceAndNothingElse) {
  constexpr size_t large = size_t{1} << 20;
  std::vector<std::byte> from(large + 300), to(large + 300);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = std::byte(i * 7 + i / 251);
  for (const size_t bytes :
       {size_t{0}, size_t{5}, large - 1, large, large + 65})
    for (const size_t at : {0, 1, 16, 63, 64})
      for (const size_t start : {0, 4}) {
        std::fill(to.begin(), to.end(), std::byte{0xAA});
        copyAround(&to[at], &from[start], bytes);
        EXPECT_TRUE(std::equal(&to[at], &to[at + bytes], &from[start]));
        const auto untouched = [](std::byte b) { return b == std::byte{0xAA}; };
        EXPECT_TRUE(std::all_of(&to[0], &to[at], untouched));
        EXPECT_TRUE(
            std::all_of(&to[at + bytes], to.data() + to.size(), untouched));
      }
}

} // namespace
