//===- RuntimeTestHeaders.h - Precompiled headers of runtime tests --------===//
#pragma once

#include "cmake/RuntimeHeaders.h"
#include <gtest/gtest.h>
