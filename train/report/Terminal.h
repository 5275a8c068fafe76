//===- Terminal.h - Finds the terminal that a person watches ----*- C++ -*-===//
#pragma once

#include <cstddef>

namespace zrt {

/// The descriptor of the terminal that shows the output of `stream`; -1 if it
/// goes to a file or a pipe.  Open MPI gives its ranks terminals of its own and
/// forwards their output, so this looks for the terminal of mpirun.
int watchedTerminal(int stream);

/// The current width of a terminal; 80 if unknown, or for -1.
size_t columnsOf(int terminal);

} // namespace zrt
