// The linker of musl, which has a list of folders in the place of a cache.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Adds folders to /etc/ld-musl-ARCH.path of an image that has such a linker. False and errno.
bool musl_add(int root, const char *const folders[], size_t count);
