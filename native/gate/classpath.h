// The class path of a program: its jars in an order that does not depend on the file system.
#pragma once

#include <stdbool.h>

#include "table.h"

enum { CLASS_PATH_BYTES = 64 * 1024 };

// The JVM would expand `folder/*` itself, but in the order of the directory, which differs between
// machines: an AOT cache is only valid for the class path that it was made with, in that order.
// On failure says so in the log and returns false.
bool classpath_of(const struct table *table, const struct program *program,
                  char path[CLASS_PATH_BYTES]);

// Cuts the next part off a text of parts separated by colons; NULL when none is left.
char *next_part(char **rest);
