// Whole numbers and durations as people write them in the table.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Digits only, at most `most`.
bool parse_number(const char *text, int64_t most, int64_t *number);

// A number with unit: `250ms`, `30s`, `5m`; above 0, at most a day.
bool parse_duration(const char *text, int64_t *milliseconds);
