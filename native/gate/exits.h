// How the gate itself ends. Everything else is the code of the JVM, or 128 + signal.
#pragma once

#include <stdbool.h>

enum {
  EXIT_PROBE_FAILED = 1,
  EXIT_WRONG_USAGE = 64, // EX_USAGE of sysexits.h: no such program, no such probe
  EXIT_SYSTEM = 71,      // EX_OSERR: a system call failed that the gate cannot do without
  EXIT_SETTINGS = 78,    // EX_CONFIG: the table, a flag file or a folder of jars is wrong
};

// A restart cannot fix a wrong command line (2 as picocli has it) or a wrong set-up (sysexits.h).
static inline bool exit_is_final(int code) {
  return code == 0 || code == 2 || (code >= 64 && code <= 78);
}
