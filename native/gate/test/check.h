// What the unit tests need: one assertion that says what was claimed.
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
