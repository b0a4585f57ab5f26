#define _GNU_SOURCE
#include "clock.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

int64_t clock_now_ms(void) {
  struct timespec now;
  // Cannot fail on Linux with this clock; going on without a clock would be worse than ending.
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    abort();
  }
  return (int64_t)now.tv_sec * MILLISECONDS_PER_SECOND + now.tv_nsec / 1000000;
}

int clock_poll_timeout(int64_t deadline) {
  if (deadline == NEVER) {
    return -1;
  }
  int64_t left = deadline - clock_now_ms();
  if (left <= 0) {
    return 0;
  }
  return left > INT_MAX ? INT_MAX : (int)left;
}
