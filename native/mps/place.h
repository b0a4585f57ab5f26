// Where everything lies.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct place {
  const char *host_root;     // where / of the host is
  const char *driver_folder; // where driver containers put the driver, on the host
  const char *mps_root;      // shared with clients, who see it as /mps
  const char *desired;       // the agent's file
};

// What daemons and clients alike call the root of pipes and logs.
#define MPS_ROOT_OF_CLIENTS "/mps"

// `mps_root/resource/name`; the name may be empty.
void place_of(const struct place *place, const char *resource, const char *name, char *path, size_t size);

// Replaces the file as a whole. False with errno set.
bool place_write(const char *path, const char *text);

// Makes a folder with all above it. False with errno set.
bool place_folder(const char *path);

// Removes all that is in a folder, with sub-folders and without following links, but not the folder itself, which
// clients that run have mounted. Not there is as good as empty. What clients add meanwhile may stay.
void place_empty(const char *path);
