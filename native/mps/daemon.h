// One control daemon: everything between "it should run" and "it runs with these settings", again and again.
#pragma once

#include <sys/types.h>

#include "desired.h"
#include "place.h"

// Runs until this process is asked to end. It is a process of its own for each resource and claim.
_Noreturn void daemon_keep(const struct daemon_spec *spec, const struct place *place, pid_t supervisor);

// Removes what says that a daemon runs, for one that is no longer wanted or supervised.
void daemon_forget(const char *resource, const struct place *place);
