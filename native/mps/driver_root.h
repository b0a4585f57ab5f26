// The driver's programs run in the driver's own root, with its own libraries, but with the folders that daemons and
// clients share. Such a root is put together in a mount namespace of the process that enters it, so that nothing is
// written below the driver's.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "place.h"

// Whether a driver with MPS is there at all; names where it was looked for if not.
bool driver_root_is_there(const struct place *place, char *reason, size_t size);

// Makes this process one of that root, for a program to be executed: with all folders of MPS where it is for a resource,
// and with those of a claim alone, at the paths of its clients, where it is for a claim. False with errno set; `step`
// names what failed.
bool driver_root_enter(const struct place *place, const char *resource, const char **step);
