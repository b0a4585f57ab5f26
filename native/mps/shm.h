// The memory that daemons and clients share as /dev/shm.
#pragma once

#include "place.h"

// Mounts it, unless it is there: clients that run hold on to the one that they know. False with the reason in the log.
bool shm_mount(const struct place *place);

// The same for claims, as a whole: the folders of a claim come and go without a mount of their own. False also where
// the pod has no folder that it shares with the host for them.
bool shm_mount_claims(const struct place *place);
