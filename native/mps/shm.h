// The memory that daemons and clients share as /dev/shm.
#pragma once

#include "place.h"

// Mounts it, unless it is there: clients that run hold on to the one that they know. False with the reason in the log.
bool shm_mount(const struct place *place);
