// The host's ldconfig, run on the files of an image.
#pragma once
#include <stdbool.h>

// The program at `wanted` on the host (NULL, or with NVIDIA's `@` before it), or the host's own; -1 where there is none.
int ldconfig_open(const char *wanted);

// Writes /etc/ld.so.cache below `root` with that program. False and errno.
bool ldconfig_run(int root, int program);
