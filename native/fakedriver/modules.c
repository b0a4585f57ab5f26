#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

static const char FOLDER[] = "/sys/module/";

static int lock(const char *root) {
  char path[PATH_MAX];
  below(path, root, FOLDER, ".lock", NULL);
  make_way(path);
  int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 || flock(file, LOCK_EX) != 0) fail("%s: %s", path, strerror(errno));
  return file;
}

int module_references(const char *root, const char *name) {
  char path[PATH_MAX], text[32];
  below(path, root, FOLDER, name, "/refcnt", NULL);
  return read_file(path, text, sizeof text) ? atoi(text) : -1;
}

static void count(const char *root, const char *name, int references) {
  char path[PATH_MAX], text[32];
  below(path, root, FOLDER, name, "/refcnt", NULL);
  snprintf(text, sizeof text, "%d\n", references);
  write_file(path, text);
}

// Changed where it is, not replaced: a node may have it mounted over its own.
static void report(const char *root, const char *name, bool is_loaded) {
  char path[PATH_MAX], line[256], after[1 << 16] = "";
  size_t length = 0;
  below(path, root, "/proc/modules", NULL);
  FILE *file = fopen(path, "r");
  if (is_loaded) length = (size_t)snprintf(after, sizeof after, "%s 16384 0 - Live 0x0000000000000000 (POE)\n", name);
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    bool is_its = strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ';
    if (!is_its && length + strlen(line) < sizeof after) length += (size_t)sprintf(after + length, "%s", line);
  }
  if (file != NULL) fclose(file);
  make_way(path);
  file = fopen(path, "w");
  if (file == NULL || fputs(after, file) == EOF || fclose(file) != 0) fail("%s: %s", path, strerror(errno));
}

void module_use(const char *root, const char *name, int change) {
  int held = lock(root), now = module_references(root, name);
  if (now < 0) fail("%s is not loaded", name);
  if (now + change >= 0) count(root, name, now + change);
  close(held);
}

void module_load(const char *root, const char *name, const char *used) {
  char path[PATH_MAX];
  int held = lock(root);
  below(path, root, FOLDER, name, "/holders/", NULL);
  make_way(path);
  count(root, name, 0);
  if (used != NULL) {
    below(path, root, FOLDER, used, "/holders/", name, NULL);
    write_file(path, "");
    count(root, used, module_references(root, used) + 1);
  }
  report(root, name, true);
  close(held);
}

// Every module that this one used has one user less.
static void release(const char *root, const char *name) {
  char path[PATH_MAX];
  below(path, root, FOLDER, NULL);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    below(path, root, FOLDER, entry->d_name, "/holders/", name, NULL);
    if (unlink(path) == 0) count(root, entry->d_name, module_references(root, entry->d_name) - 1);
  }
  if (folder != NULL) closedir(folder);
}

bool module_unload(const char *root, const char *name) {
  int held = lock(root);
  bool is_idle = module_references(root, name) == 0;
  if (is_idle) {
    char path[PATH_MAX], aside[PATH_MAX], mark[32];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(mark, sizeof mark, "-%lld", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    release(root, name);
    // Kept under another name: no later one may have its inode, which distinguishes a load from the next.
    below(path, root, FOLDER, name, NULL);
    below(aside, root, FOLDER, ".", name, mark, NULL);
    if (rename(path, aside) != 0) fail("%s: %s", path, strerror(errno));
    report(root, name, false);
  }
  close(held);
  return is_idle;
}

bool driver_is_idle(const char *root) {
  static const char *const DEPENDENTS[] = {"nvidia_uvm", "nvidia_modeset", "nvidia_peermem"};
  int loaded = 0;
  for (unsigned i = 0; i < sizeof DEPENDENTS / sizeof DEPENDENTS[0]; i++) {
    int references = module_references(root, DEPENDENTS[i]);
    if (references > 0) return false;
    loaded += references == 0;
  }
  return module_references(root, "nvidia") <= loaded;
}
