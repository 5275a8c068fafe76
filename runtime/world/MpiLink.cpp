//===- MpiLink.cpp - Transfers slices between hosts by MPI ----------------===//
#include "runtime/world/MpiLink.h"

#include "runtime/world/MpiWorld.h"

using namespace zrt;

// The communicators are not freed: that is collective, and this rank may be the
// only one left.
MpiLink::~MpiLink() = default;

void MpiLink::reserve(uint32_t streams, int slots) {
  comms.resize(streams);
  for (MPI_Comm &comm : comms) {
    checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "cannot connect the hosts");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  requests.resize(streams);
  for (auto &stream : requests)
    stream.assign(static_cast<size_t>(slots), MPI_REQUEST_NULL);
}

void MpiLink::send(zrt_stream stream, int slot, int to, const void *data,
                   size_t bytes) {
  checkMpi(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, 0,
                     comms[stream], &requests[stream][size_t(slot)]),
           "cannot send to another host");
}

void MpiLink::receive(zrt_stream stream, int slot, int from, void *data,
                      size_t bytes) {
  checkMpi(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, 0,
                     comms[stream], &requests[stream][size_t(slot)]),
           "cannot receive from another host");
}

bool MpiLink::done(zrt_stream stream, int slot) {
  int done = 0;
  checkMpi(MPI_Test(&requests[stream][size_t(slot)], &done, MPI_STATUS_IGNORE),
           "an exchange with another host failed");
  return done != 0;
}
