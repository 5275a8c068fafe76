//===- NcclRanks.h - Messages between processes, for tests ------*- C++ -*-===//
//
// The ranks of a communicator meet in a folder of shared memory.  A message is
// a file `from.to.number` there, which appears when it is complete and is
// removed when it has been read.
//
// A user is the thread that makes communicators; it may be another rank in each
// of them.  It has a file with the order of all its collectives; peers find it by
// the name that is in the file `rank` of the folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fakecuda {

/// The call that a message belongs to; both ranks must agree on it.
struct MessageKind {
  char call; ///< 'G' of ncclAllGather, 'S' of ncclSend
  char reserved[3] = {};
  int32_t type;
  uint64_t count;
};

class NcclRanks {
public:
  /// Returns a new unique path; the ranks that meet there create it.
  static std::string newFolder();
  /// `device` is the GPU of the rank.
  NcclRanks(std::string folder, int rank, int ranks, int device);
  /// Ends receiving: removes the messages for this rank, and the whole folder
  /// if it is the last to leave.
  void leave();

  /// Returns true if all ranks have arrived; ends the process if their numbers
  /// of ranks differ, or if two have one GPU.
  bool areThere() const;
  /// The next collective of this rank, among all of its communicators, is one of
  /// this communicator.  Ends the process if it was another one on a peer: if
  /// both GPUs have room for one collective only, none of them ever ends.
  void goNext();
  /// Returns true if another rank is a thread of this process, as in unit
  /// tests; they share what else is a GPU's.
  bool isAmongThreads() const;
  /// The number of messages to this rank that have not been received.
  int unread() const;

  void send(int peer, const MessageKind &kind, const void *from,
            uint64_t bytes);
  /// Returns true if the message after `ahead` others from `peer` has arrived.
  bool hasCome(int peer, uint64_t ahead) const;
  /// Receives the next message; ends the process if its kind is not `kind`.
  void receive(int peer, const MessageKind &kind, void *to, uint64_t bytes);

  const int rank, ranks, device;
  const int user; ///< its number in this process

private:
  std::string orderOf(int rank) const;
  std::string message(int from, int to, uint64_t number) const;

  const std::string folder, order;      ///< order: the user's file
  std::vector<uint64_t> sent, received; ///< messages, by peer
};

} // namespace fakecuda
