// Asks the running agent of this container to carry out a command (see README.md for the protocol).
#pragma once

#include <stdbool.h>

#include "table.h"

// True when it did: its output has been written and `code` is the exit code. False when no agent listens, the
// agent leaves this command to a process of its own, or no whole answer comes in time; nothing is written then.
bool ask_agent(const struct program *program, char *const *arguments, int *code);
