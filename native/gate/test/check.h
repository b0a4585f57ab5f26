// What the unit tests need: one assertion that says what was claimed, and one way to leave something out.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(claim)                                                            \
  do {                                                                          \
    if (!(claim)) {                                                             \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

// Tests run in the folder of their program, and ../skipped knows whether this is allowed.
static inline void skipped(const char *name, const char *why) {
  char command[512];
  snprintf(command, sizeof command, "../skipped '%s' '%s'", name, why);
  fflush(stdout);
  CHECK(system(command) == 0);
}
