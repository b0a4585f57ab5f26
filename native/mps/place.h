// Where everything lies.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct place {
  const char *host_root;     // where / of the host is
  const char *driver_folder; // where driver containers put the driver, on the host
  const char *mps_root;      // shared with clients, who see it as /mps
  const char *desired;       // the agent's file
  const char *claims_root;   // folders of claims; its own folder is shared with the host
  const char *claims;        // the agent's file of their daemons
};

// What daemons and clients alike call the root of pipes and logs.
#define MPS_ROOT_OF_CLIENTS "/mps"

// The begin of a name that is a claim's and no resource's: a domain has a dot.
#define CLAIMS "claims"

// `mps_root/resource/name`; the name may be empty. What is said of a daemon is here, also of one of a claim.
void place_of(const struct place *place, const char *resource, const char *name, char *path, size_t size);

// Where the daemon and its clients meet: `claims_root/ID/name` for "claims/ID", else as above.
void place_of_clients(const struct place *place, const char *resource, const char *name, char *path, size_t size);

bool place_is_claim(const char *resource);

// Removes a folder with all that is in it.
void place_remove(const char *path);

// Replaces the file as a whole. False with errno set.
bool place_write(const char *path, const char *text);

// Makes a folder with all above it. False with errno set.
bool place_folder(const char *path);

// Removes all that is in a folder, with sub-folders and without following links, but not the folder itself, which
// clients that run have mounted. Not there is as good as empty. What clients add meanwhile may stay.
void place_empty(const char *path);
