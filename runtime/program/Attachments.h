//===- Attachments.h - What zeroc adds to the training program --*- C++ -*-===//
//
// The runtime is linked once, when zeroc is built, to a program without a plan
// (zrt_program).  zeroc copies it and adds shared objects at its end: the
// plan, and where the plan needs them zrt_mpi.so and zrt_cuda.so.  So compiling
// a plan needs no compiler, no C library and no MPI, and a training program is
// still one file.
//
//   zrt_program | plan.so | zrt_mpi.so | entries: name, offset, bytes | footer
//
// A tool that rewrites executables (strip) drops what is behind the program's
// own end.  The program then says that it has no plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The plan with its kernels.
constexpr const char *kPlanAttachment = "plan.so";
/// What connects ranks that mpirun or srun has started.
constexpr const char *kMpiAttachment = "zrt_mpi.so";
/// The device of plans for GPUs.
constexpr const char *kCudaAttachment = "zrt_cuda.so";

struct Attachment {
  std::string name; ///< at most 15 bytes
  std::string bytes;
};

/// `program`, which has no attachments, with `files` at its end.
std::string attach(std::string_view program,
                   const std::vector<Attachment> &files);

/// Loads the attachment `name` of the file `program` into this process: its
/// symbols are found from then on, by objects that are loaded later too.
/// Returns false when there is no such attachment.  Throws zrt::Error when it
/// cannot be loaded, e.g. because a library that it needs is missing.
bool loadAttachment(const char *name, const char *program = "/proc/self/exe");

/// The address of `symbol` in this program or in what it has loaded, or nullptr.
void *findSymbol(const char *symbol);

} // namespace zrt
