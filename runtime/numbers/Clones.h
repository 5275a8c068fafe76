//===- Clones.h - Compiles a loop for several instruction sets --*- C++ -*-===//
//
// libzrt is compiled once for all x86-64 processors.  A function marked
// ZRT_CLONES is also compiled for wider vectors, and the loader picks one
// version.  Only for loops whose result does not depend on the vector width.
//
//===----------------------------------------------------------------------===//
#pragma once

// The loader picks before a sanitizer's runtime is ready, so sanitizer builds
// have only one version.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__)
#define ZRT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ZRT_CLONES
#endif
