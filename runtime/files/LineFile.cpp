//===- LineFile.cpp - Appends lines to a file -----------------------------===//
#include "runtime/files/LineFile.h"

#include "runtime/files/OutputPath.h"
#include "runtime/text/Error.h"

#include <unistd.h>

using namespace zrt;

void LineFile::open(const std::string &path, uint64_t keep, bool isForced) {
  name = path;
  try {
    if (keep == 0)
      checkReplaced(path, kind, isForced);
    const OutputPath target(path);
    file = OpenFile(target.open());
    isRegular = !target.isStream();
  } catch (const Error &error) {
    fail("{}: {}", content, error.what());
  }
  written = keep;
  if (isRegular && ftruncate(file.number(), static_cast<off_t>(keep)) != 0)
    fail("cannot empty {} for the {}: {}", path, content, errnoText());
}

void LineFile::write(std::string_view lines, std::string_view part) {
  if (writeAll(file.number(), lines.data(), lines.size())) {
    written += lines.size();
    return;
  }
  const std::string reason = errnoText();
  // Remove a partial line.
  if (isRegular)
    (void)!ftruncate(file.number(), static_cast<off_t>(written));
  fail("cannot write {} of {} to {}: {}", content, part, name, reason);
}

void LineFile::close() {
  // Network file systems may report a full disk only now.
  if (file && !file.close())
    fail("cannot finish the {} in {}: {}", content, name, errnoText());
}
