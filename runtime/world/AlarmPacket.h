//===- AlarmPacket.h - The wire format of an alarm --------------*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

#include <cstdint>

namespace zrt {

/// An alarm as plain bytes; a longer message is cut.
struct AlarmPacket {
  int32_t origin = -1;
  int32_t late = -1;
  char message[1024] = {};

  AlarmPacket() = default;
  explicit AlarmPacket(const Alarm &alarm)
      : origin(alarm.origin), late(alarm.late) {
    alarm.message.copy(message, sizeof message - 1);
  }

  Alarm alarm() {
    message[sizeof message - 1] = '\0';
    return {origin, message, late};
  }
};

} // namespace zrt
