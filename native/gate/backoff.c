#include "backoff.h"

static int64_t at_most(int64_t value, int64_t cap) {
  return value < cap ? value : cap;
}

int64_t backoff_after(struct backoff *backoff, int64_t ran_ms) {
  if (ran_ms >= backoff->reset_ms) {
    // A JVM that ran for so long did not fail to start: the next one starts without a delay.
    backoff->next_ms = backoff->first_ms;
    return 0;
  }
  if (backoff->next_ms == 0) {
    backoff->next_ms = backoff->first_ms;
  }
  int64_t wait_ms = at_most(backoff->next_ms, backoff->cap_ms);
  backoff->next_ms = at_most(wait_ms * 2, backoff->cap_ms);
  return wait_ms;
}
