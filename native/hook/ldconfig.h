// The host's ldconfig, run on the files of an image.
#pragma once
#include <stdbool.h>

// Writes /etc/ld.so.cache below `root` with the program at `wanted` on the host (NULL, or with NVIDIA's `@` before it)
// or the host's own. False and errno.
bool ldconfig_run(int root, const char *wanted);
