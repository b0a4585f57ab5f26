// What the agent wants: which daemon for which resource or claim. Pure: a text in, records or a reason out.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
  DESIRED_BYTES = 64 * 1024,
  DAEMONS_MAX = 64, // of resources or of claims
  DAEMON_GPUS_MAX = 32,
  RESOURCE_BYTES = 256,
  UUID_BYTES = 64,
  LINE_BYTES = 4096
};

struct daemon_gpu {
  int index;             // by which the control program knows it
  char uuid[UUID_BYTES]; // by which nvidia-smi does
  long pinned_mib;       // most that one client may take; 0 for no limit
};

struct daemon_spec {
  char line[LINE_BYTES]; // as it was written; equal lines are equal daemons
  char resource[RESOURCE_BYTES];
  int thread_percentage; // 0 for no limit
  bool is_multi_user;
  int gpu_count;
  struct daemon_gpu gpus[DAEMON_GPUS_MAX];
};

struct desired {
  int count;
  struct daemon_spec daemons[DAEMONS_MAX * 2];
};

// Adds those of another text.
void desired_add(struct desired *all, const struct desired *more);

// Cuts `text` into its lines. False with a reason that names the line: nothing of such a text counts.
bool desired_parse(char *text, struct desired *desired, char *reason, size_t size);
