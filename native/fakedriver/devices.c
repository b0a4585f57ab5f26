#include "devices.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "files.h"

static const char DEVICES[] = "/proc/devices";
static const char LAST[] = "/sys/module/.major-";
static const char EMPTY[] = "Character devices:\n  1 mem\n\nBlock devices:\n  8 sd";
enum { SIZE = 1 << 16, NVIDIA = 195, CONTROL = 255 };

static void read_devices(const char *root, char path[PATH_MAX], char text[SIZE]) {
  below(path, root, DEVICES, NULL);
  if (!read_file(path, text, SIZE)) strcpy(text, EMPTY);
}

// Changed where it is, not replaced: a node may have it mounted over its own.
static void write_devices(const char *path, const char *text) {
  make_way(path);
  FILE *file = fopen(path, "w");
  if (file == NULL || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0) fail("%s: %s", path, strerror(errno));
}

static bool is_taken(const char *text, int major) {
  int taken = 0;
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, "Block", 5) == 0) return false;
    if (sscanf(line, "%d ", &taken) == 1 && taken == major) return true;
  }
  return false;
}

// Where a line of this number belongs: the kernel lists them in order, a head before and block devices after them.
static const char *place_of(const char *text, int major) {
  int other = 0;
  const char *line = text, *end = text;
  while (line != NULL && strncmp(line, "Block", 5) != 0 && (sscanf(line, "%d ", &other) != 1 || other <= major)) {
    end = strchr(line, '\n');
    bool is_last = end == NULL || end[1] == '\n' || strncmp(end + 1, "Block", 5) == 0;
    if (end == NULL) end = line + strlen(line);
    if (is_last) break;
    line = end + 1;
  }
  return end;
}

void device_register_fixed(const char *root, const char *name, int major) {
  char path[PATH_MAX], text[SIZE], after[SIZE];
  read_devices(root, path, text);
  const char *place = place_of(text, major);
  int length = snprintf(after, sizeof after, "%.*s\n%3d %s%s", (int)(place - text), text, major, name, place);
  if (length < 0 || (size_t)length >= sizeof after) fail("%s is too long", path);
  write_devices(path, after);
}

void device_register(const char *root, const char *name, int highest, int lowest) {
  char path[PATH_MAX], text[SIZE], last[32] = "";
  read_devices(root, path, text);
  below(path, root, LAST, name, NULL);
  int former = read_file(path, last, sizeof last) ? atoi(last) : 0, major = highest;
  while (major > lowest && (major == former || is_taken(text, major))) major--;
  snprintf(last, sizeof last, "%d", major);
  write_file(path, last);
  device_register_fixed(root, name, major);
}

void device_unregister(const char *root, const char *name) {
  char path[PATH_MAX], text[SIZE], after[SIZE], found[64];
  size_t length = 0;
  read_devices(root, path, text);
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    bool is_its = sscanf(line, "%*d %63s", found) == 1 && strcmp(found, name) == 0;
    if (is_its) continue;
    const char *gap = strncmp(line, "Block", 5) == 0 ? "\n" : "";
    length += (size_t)snprintf(after + length, sizeof after - length, "%s%s%s", length > 0 ? "\n" : "", gap, line);
    if (length >= sizeof after) fail("%s is too long", path);
  }
  after[length] = '\0';
  write_devices(path, after);
}

static void node(const char *folder, const char *name, int minor) {
  char path[PATH_MAX];
  below(path, folder, "/", name, NULL);
  make_way(path);
  if (mknod(path, S_IFCHR | 0666, makedev(NVIDIA, (unsigned)minor)) != 0 && errno != EEXIST && errno != EPERM)
    fail("%s: %s", path, strerror(errno));
  if (chmod(path, 0666) != 0 && errno != ENOENT) fail("%s: %s", path, strerror(errno));
}

void device_nodes(const char *folder, int gpus) {
  char name[32];
  node(folder, "nvidiactl", CONTROL);
  for (int minor = 0; minor < gpus; minor++) {
    snprintf(name, sizeof name, "nvidia%d", minor);
    node(folder, name, minor);
  }
}
