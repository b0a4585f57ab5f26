// One process for each daemon, so that none waits for another's tools.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "desired.h"
#include "place.h"

struct worker {
  pid_t process; // 0 for an entry that is free
  struct daemon_spec spec;
  int64_t kill_at; // when it was asked to end and has not; NEVER before
};

struct workers {
  const struct place *place;
  struct worker all[DAEMONS_MAX * 4];
  int64_t not_before; // a worker that fell over is not started again at once
};

// Ends those that are not wanted as they are, and starts those that are wanted and not there. To be called again
// whenever something has changed, and at the time that it returns.
int64_t workers_follow(struct workers *workers, const struct desired *desired);

// Takes note of the end of a process.
void workers_ended(struct workers *workers, pid_t process);

// Whether a process watches over a daemon of this name.
bool workers_have(struct workers *workers, const char *resource);

int workers_count(const struct workers *workers);
