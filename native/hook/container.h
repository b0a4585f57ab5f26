// The container that is being created. Paths are resolved as its own processes would resolve them:
// no link leads out of its root.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// A descriptor of the root folder of the container whose state is on the standard input; -1 and a
// complaint where there is none.
int container_open(void);

// A descriptor of what is at `path`, or -1 and errno.
int container_find(int root, const char *path, int flags);

// A descriptor of the folder at `path`, which is made with its parents where it is missing.
int container_folder(int root, const char *path);

// The same for the folder above `path`; `*name` is then the last name in `path`.
int container_parent(int root, const char *path, const char **name);

// Writes a new file into a folder. A link of that name is replaced and not followed.
bool container_write(int folder, const char *name, const char *content, size_t size);

// The whole of a small file, which the caller frees; NULL and errno.
char *read_all(int file, size_t limit);
