// Small files below a host root.
#ifndef PITCREW_FAKEDRIVER_FILES_H
#define PITCREW_FAKEDRIVER_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// Prints why and ends the program.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The path below the root; all parts that follow are put together, up to a null.
void below(char path[PATH_MAX], const char *root, ...) __attribute__((sentinel));
// Makes the folders that lead to a file.
void make_way(const char *path);
// Replaces a file as a whole.
void write_file(const char *path, const char *text);
// The text without the white space at its end; false where there is no such file.
bool read_file(const char *path, char *text, size_t size);

#endif
