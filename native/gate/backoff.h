// How long to wait before the JVM is started again. Pure: time comes in as numbers.
#pragma once

#include <stdint.h>

struct backoff {
  int64_t first_ms; // after the first crash
  int64_t cap_ms;   // never longer than this
  int64_t reset_ms; // a JVM that ran this long starts the count anew
  int64_t next_ms;  // 0 before the first crash
};

// Told how long the JVM ran, says how long to wait, and doubles for the next time.
int64_t backoff_after(struct backoff *backoff, int64_t ran_ms);
