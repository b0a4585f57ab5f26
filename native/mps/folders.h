// The folders in which a daemon and its clients meet.
#pragma once

#include <stdbool.h>

#include "place.h"

// Makes those of a resource or a claim, without what another daemon has left there. False with the reason
// (REASON_BYTES of tool.h).
bool folders_prepare(const struct place *place, const char *resource, char *reason);

// Removes those of claims that are not kept.
void folders_remove_claims(const struct place *place, bool (*is_kept)(const char *claim));
