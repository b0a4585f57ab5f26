// What the supervisor waits for, in one place: signals, the end of the JVM, probes, uevents, time.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "state.h"

enum woken { WOKEN_BY_CHILD, WOKEN_BY_STOP, WOKEN_BY_DEADLINE, WOKEN_BY_DEVICE };

struct watch {
  sigset_t inherited; // signal mask that the JVM gets back
  int signals;
  int probes; // -1 when there is no socket for probes
  int events; // -1 when no uevents are listened to
  enum state state;
  char state_text[STATE_TEXT_BYTES];
  pid_t child; // 0 when no JVM runs
  int status;  // of the JVM that ended last
  int stop;    // the signal that asked for the end, 0 before
};

// From here on signals only arrive through the watch. False with the reason in the log.
bool watch_start(struct watch *watch);

// Until one of the four happens. Signals for the JVM are forwarded, orphans reaped, probes answered.
// Stopping twice wakes twice.
enum woken watch_await(struct watch *watch, int64_t deadline);
