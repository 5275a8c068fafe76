#!/usr/bin/env bash
# Links like c++, with the sanitizers that the runtime of preset `asan` needs.
# What zeroc compiles calls them nowhere itself.
exec clang++-22 -fsanitize=address,undefined "$@"
