//===- ElementNames.cpp - Names of element types in safetensors -----------===//
#include "train/state/io/Safetensors.h"

#include <utility>

using namespace zrt;

static constexpr std::pair<zrt_dtype, const char *> kElements[] = {
    {ZRT_F64, "F64"},
    {ZRT_F32, "F32"},
    {ZRT_BF16, "BF16"},
    {ZRT_F16, "F16"},
    {ZRT_I8, "I8"}};

const char *zrt::elementName(zrt_dtype dtype) {
  for (const auto &[known, name] : kElements)
    if (known == dtype)
      return name;
  return "";
}

zrt_dtype zrt::elementType(std::string_view name) {
  for (const auto &[dtype, known] : kElements)
    if (name == known)
      return dtype;
  return 0;
}
