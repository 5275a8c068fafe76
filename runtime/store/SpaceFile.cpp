//===- SpaceFile.cpp - The file of a store in one folder ------------------===//
#include "runtime/store/SpaceFile.h"

#include "runtime/files/TemporaryName.h"
#include "runtime/store/Blocks.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace zrt;

SpaceFile::SpaceFile(const std::string &folder, uint64_t bytes,
                     const Faults &faults)
    : where(folder) {
  struct stat info = {};
  if (stat(where.c_str(), &info) != 0)
    fail("--nvme-path: {}: {}; make the folder, or name another one", where,
         errnoText());
  if (!S_ISDIR(info.st_mode))
    fail("--nvme-path: {} is not a folder; name one on the drive to use",
         where);
  device = info.st_dev;
  inode = info.st_ino;
  open(/*direct=*/!faults.is(Fault::NoDirect));
  checkRoom(bytes, faults);
  reserve(bytes);
  if (!faults.is(Fault::NoDirect) && bytes > 0 && !readsDirectly()) {
    file = OpenFile(); // gives its room back first
    open(/*direct=*/false);
    reserve(bytes);
  }
  if ((fcntl(number(), F_GETFL) & O_DIRECT) == 0)
    remark = fmt::format("nvme tier: {} refuses O_DIRECT, so what is read and "
                         "written goes through the page cache, which takes "
                         "memory and time",
                         where);
  struct statfs system = {};
  if (fstatfs(number(), &system) == 0 &&
      (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC))
    remark += fmt::format("{}nvme tier: {} is in memory, not on a drive",
                          remark.empty() ? "" : "\n", where);
}

void SpaceFile::open(bool direct) {
  const int flags = O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0);
  file = OpenFile(::open(where.c_str(), O_TMPFILE | flags, S_IRUSR | S_IWUSR));
  // Older file systems support only files with names.
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
    const std::string path = where + "/" + temporaryName("nvme");
    file = OpenFile(::open(path.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | flags,
                           S_IRUSR | S_IWUSR));
    if (file)
      unlink(path.c_str());
  }
  if (file)
    return;
  if (errno == EINVAL && direct)
    return open(/*direct=*/false);
  fail("--nvme-path: cannot make a file in {}: {}; name a folder on a drive "
       "that this user may write to",
       where, errnoText());
}

void SpaceFile::failForRoom(uint64_t bytes) const {
  struct statvfs system = {};
  (void)statvfs(where.c_str(), &system);
  fail("--nvme-path: the nvme tier needs {} in {}, which has {} free; "
       "make room, or name more folders, as --nvme-path=A,B",
       shownBytes(bytes), where,
       shownBytes(uint64_t{system.f_bavail} * system.f_frsize));
}

void SpaceFile::checkRoom(uint64_t bytes, const Faults &faults) const {
  // An impossible request must not fill the drive before it fails.
  struct statvfs system = {};
  if (faults.is(Fault::Full) ||
      (statvfs(where.c_str(), &system) == 0 &&
       bytes / std::max<uint64_t>(system.f_frsize, 1) > system.f_bavail))
    failForRoom(bytes);
}

void SpaceFile::reserve(uint64_t bytes) {
  if (bytes == 0)
    return;
  int status = 0;
  do
    status = fallocate(number(), 0, 0, static_cast<off_t>(bytes));
  while (status != 0 && errno == EINTR);
  if (status == 0)
    return;
  if (errno == EOPNOTSUPP)
    return writeZeros(bytes);
  if (errno == ENOSPC || errno == EDQUOT)
    failForRoom(bytes);
  fail("--nvme-path: cannot reserve {} in {}: {}; name another folder",
       shownBytes(bytes), where, errnoText());
}

void SpaceFile::writeZeros(uint64_t bytes) {
  const BlockMemory zeros(kStripe);
  std::memset(zeros.data(), 0, kStripe);
  for (uint64_t at = 0; at < bytes;) {
    const ssize_t written =
        pwrite(number(), zeros.data(), std::min(kStripe, bytes - at),
               static_cast<off_t>(at));
    if (written > 0)
      at += static_cast<uint64_t>(written) / kBlock * kBlock;
    else if (written == 0 || errno == ENOSPC || errno == EDQUOT)
      failForRoom(bytes);
    else if (errno != EINTR)
      fail("--nvme-path: cannot reserve {} in {}: {}; name another "
           "folder",
           shownBytes(bytes), where, errnoText());
  }
}

bool SpaceFile::readsDirectly() const {
  const BlockMemory block(kBlock);
  return pread(number(), block.data(), kBlock, 0) == ssize_t{kBlock};
}
