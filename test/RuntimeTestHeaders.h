//===- RuntimeTestHeaders.h - What is parsed once for the runtime's tests -===//
#pragma once

#include "cmake/RuntimeHeaders.h"
#include <gtest/gtest.h>
