// The command line of a hook.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { MAX_VALUES = 1024 };

struct flag {
  const char *name;              // with its dashes
  const char *values[MAX_VALUES];
  size_t count;
};

// Fills the flags that are known. `--name value` and `--name=value` are alike. What is unknown gets
// a warning and is passed over, since a newer specification may say more than we understand.
void arguments_read(char *const words[], struct flag *const flags[], size_t count);

// Prints what went wrong where the runtime shows it. `what` may be NULL.
void complain(const char *level, const char *message, const char *what);
