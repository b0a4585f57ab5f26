// Which AOT cache a program may use.
#pragma once

#include <stdbool.h>

#include "table.h"

enum { AOT_PATH_BYTES = 4096 };

// Where the cache for exactly this JDK, these flags and these jars lies, whether it is there or not:
// `FOLDER/NAME-DIGEST.aot`. On failure says so in the log and returns false.
//
// The JVM itself only compares time stamp and size of a jar with those of the cache, and jars of a
// reproducible build all have the same time stamp: it would run the classes of yesterday without a
// word. So the digest takes in every jar's content, and it is computed at every start from the files
// that the JVM is about to open: 19 MB of jars cost some 30 ms from memory (SHA instructions), 50-100 ms
// from disk. A digest written down when the image was built would cost nothing, but would not notice a
// jar that was replaced in a layer on top or by a mount, which is the case that matters.
bool aot_path(const struct table *table, const struct program *program, const char *class_path,
              char path[AOT_PATH_BYTES]);

// Whether there is any cache of the program, so that without one no jar has to be read.
bool aot_has_any(const struct table *table, const struct program *program);
