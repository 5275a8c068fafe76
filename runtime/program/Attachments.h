//===- Attachments.h - Attaches a plan to the training program --*- C++ -*-===//
//
// The runtime is linked once, when zeroc is built, to a program without a plan
// (zrt_program).  zeroc copies it and appends shared objects: the plan, or a
// plan for each of several numbers of ranks (plan.8.so, plan.4.so), and, if
// plans need them, zrt_mpi.so and zrt_cuda.so.  So compiling a plan needs
// no compiler, no C library and no MPI, and a training program is still one
// file.
//
//   zrt_program | plan.so | zrt_mpi.so | entries: name, offset, bytes | footer
//
// A tool that rewrites executables (strip) removes the data after the program's
// own end.  The program then reports that it has no plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The plan with its kernels.
constexpr const char *kPlanAttachment = "plan.so";
/// The plan of `ranks` ranks in a program that has several plans, each for
/// another number of ranks.
std::string planAttachmentName(uint32_t ranks);
/// The library that connects ranks which mpirun or srun has started.
constexpr const char *kMpiAttachment = "zrt_mpi.so";
/// The device for plans for GPUs.
constexpr const char *kCudaAttachment = "zrt_cuda.so";

struct Attachment {
  std::string name; ///< at most 15 bytes
  std::string bytes;
};

/// Appends `files` to `program`, which has no attachments.
std::string attach(std::string_view program,
                   const std::vector<Attachment> &files);

/// Loads the attachment `name` of the file `program` into this process; its
/// symbols are then visible, also to objects that are loaded later.  Returns
/// false if there is no such attachment.  Throws zrt::Error if it cannot be
/// loaded, for example because a library that it needs is missing.
bool loadAttachment(const char *name, const char *program = "/proc/self/exe");

/// The numbers of ranks of the plans of the file `program`, in their order;
/// none if it has a single plan.
std::vector<uint32_t> planSizes(const char *program = "/proc/self/exe");

/// The address of `symbol` in this program or in a loaded object, or nullptr.
void *findSymbol(const char *symbol);

} // namespace zrt
