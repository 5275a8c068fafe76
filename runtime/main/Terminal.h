//===- Terminal.h - Where a person looks on ---------------------*- C++ -*-===//
#pragma once

#include <cstddef>

namespace zrt {

/// The terminal on which a person sees what is printed on `stream`, as a
/// descriptor; -1 if it goes to a file or a pipe.  Open MPI gives its ranks a
/// terminal of its own and passes on what it reads there: what counts then is
/// where mpirun prints.
int watchedTerminal(int stream);

/// How wide a terminal is now; 80 where it does not say, or for -1.
size_t columnsOf(int terminal);

} // namespace zrt
