// How long to wait before the JVM is started again. Pure: time comes in as numbers.
#pragma once

#include <stdint.h>

struct backoff {
  int64_t first_ms; // after the first crash
  int64_t cap_ms;   // never longer than this
  int64_t reset_ms; // a JVM that ran this long resets the count
  int64_t next_ms;  // 0 before the first crash
};

// Returns how long to wait after a JVM that ran this long, and doubles the delay for the next time.
int64_t backoff_after(struct backoff *backoff, int64_t ran_ms);
