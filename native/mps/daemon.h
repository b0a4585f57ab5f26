// One control daemon: everything between "it should run" and "it runs with these settings", again and again.
#pragma once

#include <sys/types.h>

#include "desired.h"
#include "place.h"

// Until this process is told to end. It is a process of its own for each resource.
_Noreturn void daemon_keep(const struct daemon_spec *spec, const struct place *place, pid_t supervisor);

// Takes away what says that a daemon runs, for one that is no longer wanted or that nobody watches over.
void daemon_forget(const char *resource, const struct place *place);
