//===- NcclRanks.h - Messages between processes, for tests ------*- C++ -*-===//
//
// Ranks meet in a folder of shared memory.  A message is a file `from.to.number`
// there, which appears when it is whole and goes when it has been read.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fakecuda {

/// What a message is part of: ranks must agree on it.
struct MessageKind {
  char call; ///< 'G' of ncclAllGather, 'S' of ncclSend
  char reserved[3] = {};
  int32_t type;
  uint64_t count;
};

class NcclRanks {
public:
  /// A path that nobody else has; the ranks that meet there make it.
  static std::string newFolder();
  NcclRanks(std::string folder, int rank, int ranks);
  /// Reads no more: takes away what is for this rank, and everything if it is the
  /// last one to leave.
  void leave();

  /// Whether all have come; ends the process if they differ in how many they are.
  bool areThere() const;
  /// Messages to this rank that nobody has received.
  int unread() const;

  void send(int peer, const MessageKind &kind, const void *from,
            uint64_t bytes);
  /// Whether the message after `ahead` others has come from `peer`.
  bool hasCome(int peer, uint64_t ahead) const;
  /// The next one; ends the process if it is none of `kind`.
  void receive(int peer, const MessageKind &kind, void *to, uint64_t bytes);

  const int rank, ranks;

private:
  std::string message(int from, int to, uint64_t number) const;

  const std::string folder;
  std::vector<uint64_t> sent, received; ///< messages, by peer
};

} // namespace fakecuda
