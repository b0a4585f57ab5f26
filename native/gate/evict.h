// Gives back the memory that the files of a JVM that has ended still take.
#pragma once

#include "table.h"

// Drops home folder and JDK from the page cache, in a process of its own that the caller's reaper collects.
//
// A JVM leaves some 50 MiB of its modules and jars there. They are charged to the container and stay for
// as long as nothing else presses: a gate of less than 1 MiB would look as large as the JVM was. Pages
// that another process has mapped stay.
void evict_files(const struct table *table, const struct program *program);
