#include "backoff.h"

#include "check.h"

static struct backoff usual(void) {
  return (struct backoff){.first_ms = 1000, .cap_ms = 60000, .reset_ms = 300000};
}

static void doublesUpToTheCap(void) {
  struct backoff backoff = usual();
  const int64_t expected[] = {1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    CHECK(backoff_after(&backoff, 10) == expected[i]);
  }
}

static void longRunResetsTheBackoff(void) {
  struct backoff backoff = usual();
  backoff_after(&backoff, 10);
  CHECK(backoff_after(&backoff, 299999) == 2000);
  CHECK(backoff_after(&backoff, 300000) == 0);
  CHECK(backoff_after(&backoff, 10) == 1000);
  CHECK(backoff_after(&backoff, 10) == 2000);
}

static void theFirstWaitIsCappedToo(void) {
  struct backoff backoff = {.first_ms = 5000, .cap_ms = 100, .reset_ms = 300000};
  CHECK(backoff_after(&backoff, 10) == 100);
}

int main(void) {
  doublesUpToTheCap();
  longRunResetsTheBackoff();
  theFirstWaitIsCappedToo();
  return 0;
}
