#define _GNU_SOURCE
#include "desired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

static const char HEADER[] = "pitcrew-mps 1";
static const char FOOTER[] = "end";

// Digits only: what these numbers end up in is a command line.
static bool number(const char *text, long most, long *value) {
  size_t length = strlen(text);
  if (length == 0 || length > 12 || strspn(text, "0123456789") != length) {
    return false;
  }
  *value = strtol(text, NULL, 10);
  return *value <= most;
}

static bool is_made_of(const char *text, const char *alphabet) {
  return *text != '\0' && strspn(text, alphabet) == strlen(text);
}

// The name becomes two folders, so it is exactly a domain and a name, or "claims" and an id.
static bool is_resource(const char *name) {
  static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789-./";
  const char *slash = strchr(name, '/');
  return is_made_of(name, LETTERS) && strlen(name) < RESOURCE_BYTES && slash != NULL && slash != name && slash[1] != '\0' &&
         strchr(slash + 1, '/') == NULL && name[0] != '.' && slash[1] != '.' && strstr(name, "..") == NULL;
}

static bool is_uuid(const char *text) {
  static const char LETTERS[] = "GPU-MIabcdefABCDEF0123456789/";
  return is_made_of(text, LETTERS) && strlen(text) < UUID_BYTES && text[0] != '-';
}

// "0=GPU-1234=4096"
static bool gpu(char *word, struct daemon_gpu *gpu) {
  char *rest;
  const char *index = strtok_r(word, "=", &rest);
  const char *uuid = strtok_r(NULL, "=", &rest);
  const char *limit = strtok_r(NULL, "=", &rest);
  long value;
  if (index == NULL || uuid == NULL || limit == NULL || *rest != '\0') {
    return false;
  }
  if (!number(index, 1023, &value) || !is_uuid(uuid)) {
    return false;
  }
  gpu->index = (int)value;
  snprintf(gpu->uuid, sizeof gpu->uuid, "%s", uuid);
  return number(limit, 1L << 30, &gpu->pinned_mib);
}

// "nvidia.com/gpu 25 0=GPU-1234=4096 1=GPU-5678=4096", "claims/0a1b2c3d-60699 0 multi-user 0=GPU-1234=0"
static const char *daemon_line(char *line, struct daemon_spec *spec) {
  char *rest;
  if (strlen(line) >= sizeof spec->line) {
    return "the line is too long";
  }
  snprintf(spec->line, sizeof spec->line, "%s", line);
  const char *resource = strtok_r(line, " ", &rest);
  const char *threads = strtok_r(NULL, " ", &rest);
  if (resource == NULL || !is_resource(resource)) {
    return "a resource such as nvidia.com/gpu is expected first";
  }
  snprintf(spec->resource, sizeof spec->resource, "%s", resource);
  long percentage;
  bool is_claim = place_is_claim(resource);
  if (threads == NULL || !number(threads, 100, &percentage) || (percentage == 0 && !is_claim)) {
    return "a percentage of threads from 1 to 100 is expected second";
  }
  spec->thread_percentage = (int)percentage;
  spec->gpu_count = 0;
  char *word = strtok_r(NULL, " ", &rest);
  spec->is_multi_user = is_claim && word != NULL && strcmp(word, "multi-user") == 0;
  for (word = spec->is_multi_user ? strtok_r(NULL, " ", &rest) : word; word != NULL; word = strtok_r(NULL, " ", &rest)) {
    if (spec->gpu_count == DAEMON_GPUS_MAX || !gpu(word, &spec->gpus[spec->gpu_count])) {
      return "INDEX=UUID=MEBIBYTES is expected for each GPU, of which there may be 32";
    }
    spec->gpu_count++;
  }
  return spec->gpu_count == 0 ? "no GPU" : NULL;
}

static bool is_twice(const struct desired *desired) {
  const struct daemon_spec *last = &desired->daemons[desired->count];
  for (int i = 0; i < desired->count; i++) {
    if (strcmp(desired->daemons[i].resource, last->resource) == 0) {
      return true;
    }
  }
  return false;
}

static bool wrong(int line, const char *what, char *reason, size_t size) {
  snprintf(reason, size, "line %d: %s", line, what);
  return false;
}

void desired_add(struct desired *all, const struct desired *more) {
  for (int i = 0; i < more->count && all->count < DAEMONS_MAX * 2; i++) {
    all->daemons[all->count++] = more->daemons[i];
  }
}

bool desired_parse(char *text, struct desired *desired, char *reason, size_t size) {
  char *rest;
  int at = 1;
  const char *first = strtok_r(text, "\n", &rest);
  desired->count = 0;
  if (first == NULL || strcmp(first, HEADER) != 0) {
    return wrong(at, "'pitcrew-mps 1' is expected", reason, size);
  }
  for (char *line = strtok_r(NULL, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    at++;
    if (strcmp(line, FOOTER) == 0) {
      return *rest == '\0' || wrong(at + 1, "nothing is expected after 'end'", reason, size);
    }
    if (desired->count == DAEMONS_MAX) {
      return wrong(at, "there are more than 64 daemons", reason, size);
    }
    const char *what = daemon_line(line, &desired->daemons[desired->count]);
    if (what != NULL || is_twice(desired)) {
      return wrong(at, what != NULL ? what : "the resource is there twice", reason, size);
    }
    desired->count++;
  }
  return wrong(at + 1, "'end' is expected", reason, size);
}
