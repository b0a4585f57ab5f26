// The state of the supervisor, reported to the probe.
//
// Over a socket in the abstract namespace: it needs no folder that can be written (the operator's root
// file system is read-only), it cannot be left behind by a gate that was killed, and the name is as
// unique as the health port is, since both belong to the network namespace.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

enum state { STATE_UNKNOWN, STATE_RUNNING, STATE_BACKING_OFF, STATE_WAITING };

enum { STATE_TEXT_BYTES = 256 };

// A descriptor to poll, or -1 with errno set.
int state_listen(const struct program *program);

// Answers every client that is connected, without ever blocking; closes the connections.
void state_answer(int socket, enum state state, const char *text);

// Asks the program's gate; unknown when there is none or it does not answer before the deadline.
enum state state_ask(const struct program *program, int64_t deadline, char text[STATE_TEXT_BYTES]);
