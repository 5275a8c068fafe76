//===- Conformance.cpp - Properties that all devices share ----------------===//
#include "train/check/Conformance.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::check;

std::vector<Property> check::conformance() {
  std::vector<Property> all;
  for (const auto &some : {memoryProperties(), streamProperties(),
                           matmulProperties(), bucketProperties()})
    all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end(), [](const Property &a, const Property &b) {
    return a.name[0] < b.name[0];
  });
  return all;
}
