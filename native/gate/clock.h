// Time in milliseconds on a clock that is never set.
#pragma once

#include <stdint.h>

enum { MILLISECONDS_PER_SECOND = 1000 };

static const int64_t NEVER = INT64_MAX;

int64_t clock_now_ms(void);

// For ppoll and poll: how long until `deadline`, 0 when it has passed, -1 for NEVER.
int clock_poll_timeout(int64_t deadline);
