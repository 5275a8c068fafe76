//===- Clones.h - One loop, several instruction sets ------------*- C++ -*-===//
//
// libzrt is compiled once for every x86-64; a function marked ZRT_CLONES is
// compiled for wider vectors as well and the loader picks one.  Only for loops
// whose bits do not depend on the width.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_CLONES_H
#define ZRT_CORE_CLONES_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// Its runtime is not ready yet when the loader picks.
#define ZRT_CLONES
#endif
#endif

#ifndef ZRT_CLONES
#ifdef __x86_64__
#define ZRT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ZRT_CLONES
#endif
#endif

#endif // ZRT_CORE_CLONES_H
