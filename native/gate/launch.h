// Turns this process into the JVM of a program.
#pragma once

#include "table.h"

enum launch_mode {
  LAUNCH_QUIET,    // as the command that a user typed: nothing in the log when all is well
  LAUNCH_WATCHED,  // as the child of the supervisor: says what it starts
  LAUNCH_TRAINING, // writes the AOT cache under its right name when the program ends
};

struct launch {
  const struct table *table;
  const struct program *program;
  char *const *arguments; // the user's, ended by NULL
  const char *last;       // one more argument behind them, or NULL
  enum launch_mode mode;
};

// Does not return: on failure says why and ends with a code of exits.h.
_Noreturn void launch(const struct launch *launch);

// Prints where the AOT cache for this JDK, these flags and these jars has to lie. Returns the exit code.
int launch_print_aot(const struct table *table, const struct program *program);
