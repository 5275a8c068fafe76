//===- Clones.h - One loop, several instruction sets ------------*- C++ -*-===//
//
// libzrt is compiled once for every x86-64; a function marked ZRT_CLONES is
// compiled for wider vectors as well and the loader picks one.  Only for loops
// whose bits do not depend on the width.
//
//===----------------------------------------------------------------------===//
#pragma once

// The loader picks before a sanitizer's runtime is ready, so that gets one form.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__)
#define ZRT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ZRT_CLONES
#endif
