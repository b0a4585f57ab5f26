#include "duration.h"

#include <stddef.h>
#include <string.h>

static const int64_t DAY_MS = 24LL * 60 * 60 * 1000;

// The first character that is no digit, or NULL when there is no digit or the number is too large.
static const char *digits(const char *text, int64_t most, int64_t *number) {
  const char *next = text;
  *number = 0;
  for (; *next >= '0' && *next <= '9'; next++) {
    *number = *number * 10 + (*next - '0');
    if (*number > most) {
      return NULL;
    }
  }
  return next == text ? NULL : next;
}

bool parse_number(const char *text, int64_t most, int64_t *number) {
  const char *end = digits(text, most, number);
  return end != NULL && *end == '\0';
}

static int64_t unit_ms(const char *unit) {
  if (strcmp(unit, "ms") == 0) {
    return 1;
  }
  if (strcmp(unit, "s") == 0) {
    return 1000;
  }
  return strcmp(unit, "m") == 0 ? 60 * 1000 : 0;
}

bool parse_duration(const char *text, int64_t *milliseconds) {
  int64_t number;
  const char *end = digits(text, DAY_MS, &number);
  if (end == NULL) {
    return false;
  }
  *milliseconds = number * unit_ms(end);
  return *milliseconds > 0 && *milliseconds <= DAY_MS;
}
