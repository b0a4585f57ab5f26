// What the linker's cache says of a shared library.
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct soname {
  char name[NAME_MAX + 1]; // empty where the library has none
  int32_t flags;           // the kind of library, as the cache has it
};

// Reads a library of 64 bits for x86-64 or AArch64. False where the file is none.
bool soname_read(int file, struct soname *found);
