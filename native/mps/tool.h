// Programs of the driver as children: one that ends on its own, within a deadline, and one that stays.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "place.h"

enum { REASON_BYTES = 512, ANSWER_BYTES = 4096, TOOL_VARIABLES = 3 };

struct tool {
  const struct place *place;
  const char *resource;                          // whose folders it sees
  const char *const *words;                      // program and arguments, NULL at the end
  const char *variables[TOOL_VARIABLES + 1];     // all that it has of an environment
  const char *input;                             // for its standard input; NULL for none
};

// Signals come in here and nowhere else.
struct signals {
  int descriptor;
  bool stop;    // whether this process is asked to end
  pid_t awaited; // whose end counts whenever it comes; 0 for none
  bool has_ended;
  int status; // of the awaited one, as wait(2) has it
};

bool signals_start(struct signals *signals);

// Takes in what has come and reaps all that have ended; true, with its status, when `child` was among them.
bool signals_take(struct signals *signals, pid_t child, int *status);

// Waits for a signal until the deadline (gate's clock).
void signals_await(const struct signals *signals, int64_t deadline);

// Starts a program that stays; it dies with this process. -1 with errno set.
pid_t tool_start(const struct tool *tool);

// Runs a program to its end. False, with what went wrong in words, when it failed, or took longer than it may.
bool tool_run(const struct tool *tool, struct signals *signals, int64_t deadline, char *reason);

// The same, with what the program printed, as far as there is room for it.
bool tool_ask(const struct tool *tool, struct signals *signals, int64_t deadline, char *answer, char *reason);

// Kills all children of this process and waits for them: what a dead daemon left must not keep its GPUs.
void tool_kill_children(void);
