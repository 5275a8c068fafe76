//===- RunLength.cpp - Computes the number of steps of --epochs -----------===//
#include "train/options/RunLength.h"

#include "abi/Counts.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

using namespace zrt;

uint64_t EpochLength::samplesLeft(const RunPosition &from) const {
  uint64_t all = 0;
  if (__builtin_mul_overflow(samples, uint64_t(epochs), &all))
    fail("--epochs={} of {} samples are too many to count", epochs,
         withCommas(samples));
  if (from.sequences > all)
    fail("the checkpoint has read {} samples, and --epochs={} ends after {}; "
         "give it more",
         withCommas(from.sequences), epochs, withCommas(all));
  return all - from.sequences;
}

int64_t EpochLength::steps(const RunPosition &from) const {
  const uint64_t left = samplesLeft(from) / perStep;
  if (left > uint64_t(kMaxSteps - from.step))
    fail("--epochs={} of {} samples are more than {} steps of {}, the most; "
         "give it less",
         epochs, withCommas(samples), kMaxSteps, withCommas(perStep));
  if (left == 0 && from.step == 0)
    fail("--epochs={} of {} fill no step, which reads {}; give it more, or say "
         "--steps",
         epochs, plural(samples, "sample"), withCommas(perStep));
  return from.step + int64_t(left);
}

std::string EpochLength::text(const RunPosition &from) const {
  const uint64_t unread = samplesLeft(from) % perStep;
  const auto number = uint64_t(steps(from));
  return fmt::format(
      "{} of {} samples: {} of {}{}", epochs, withCommas(samples),
      plural(number, "step"), withCommas(perStep),
      unread ? fmt::format("; the last {} of the last epoch {} "
                           "left out",
                           withCommas(unread), unread == 1 ? "is" : "are")
             : "");
}
