// The table of programs: which Java program hides behind which name (see README.md for the format).
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TABLE_BYTES = 16 * 1024, PROGRAM_ARGUMENTS = 8 };

// Whether the kernel ends a program first where memory runs out: also only with --oneshot among its arguments.
enum oom { OOM_LIKE_ANY, OOM_FIRST, OOM_FIRST_WITH_ONESHOT };

// Texts point into the table's text. Paths are as written: absolute, or below the home folder.
struct program {
  const char *name;
  const char *main_class;
  const char *jars;  // folders and jars, separated by colons
  const char *java;  // the launcher of the JVM
  const char *flags; // Java argument file, or NULL
  const char *aot;   // folder of AOT caches, or NULL
  const char *clear; // argument of the run that clears stale labels, or NULL
  const char *asks;  // socket of an agent that may carry it out, or NULL
  const char *arguments[PROGRAM_ARGUMENTS + 1];
  int64_t health_port; // 0 for none
  enum oom oom;
  bool is_restarted;
  bool waits_for_gpu;
  int64_t grace_ms;
  int64_t scan_ms;
  int64_t backoff_first_ms;
  int64_t backoff_cap_ms;
  int64_t backoff_reset_ms;
};

struct table {
  char home[256];
  char path[512];
  char text[TABLE_BYTES];   // as it was read
  char tokens[TABLE_BYTES]; // the line of the program that was found, cut into words
};

enum table_result { TABLE_FOUND, TABLE_NO_SUCH_PROGRAM, TABLE_IS_WRONG };

// Reads `etc/programs` below $PITCREW_HOME (/opt/pitcrew). On failure says so in the log and returns false.
bool table_read(struct table *table);

// Judges the line of this program only; what is wrong with it is said in the log, with the line's number.
enum table_result table_find(struct table *table, const char *name, struct program *program);

// Names of all programs, one a line, to `descriptor`.
void table_print_names(const struct table *table, int descriptor);

// `path` below the home folder unless it is absolute. False when it is too long.
bool table_resolve(const struct table *table, const char *path, char *resolved, int size);
