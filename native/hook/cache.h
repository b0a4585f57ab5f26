// The cache of glibc's linker, for hosts that have no ldconfig.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Puts the libraries of these folders before all that /etc/ld.so.cache below `root` has, those of `first` (which may be
// NULL) before the others, and makes the link that a library's own name is in its folder. False and errno.
bool cache_add(int root, const char *first, const char *const folders[], size_t count);
