// The exec probe of the container.
#pragma once

#include <stdbool.h>

#include "table.h"

// Says in one line what it found; returns the exit code. Never takes much longer than a second.
int probe(const struct program *program, bool asks_ready);
