// Keeps a program's JVM running for as long as the container lives.
#pragma once

#include "launch.h"

// Returns the code that the gate has to end with. `host_root` is where the host's /sys lies.
int supervise(const struct launch *launch, const char *host_root);
