#define _GNU_SOURCE
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void place_of(const struct place *place, const char *resource, const char *name, char *path, size_t size) {
  snprintf(path, size, "%s/%s%s%s", place->mps_root, resource, *name == '\0' ? "" : "/", name);
}

static bool write_all(int file, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t count = write(file, text, left);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text += count < 0 ? 0 : count;
    left -= count < 0 ? 0 : (size_t)count;
  }
  return true;
}

// No fsync: after a crash of the machine no daemon runs whatever the file says.
bool place_write(const char *path, const char *text) {
  char draft[PATH_MAX];
  snprintf(draft, sizeof draft, "%s.draft", path);
  int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) {
    return false;
  }
  bool written = write_all(file, text);
  int reason = errno;
  close(file);
  errno = reason;
  return written && rename(draft, path) == 0;
}

bool place_folder(const char *path) {
  char partial[PATH_MAX];
  snprintf(partial, sizeof partial, "%s", path);
  for (char *slash = strchr(partial + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(partial, 0755) != 0 && errno != EEXIST) {
      return false;
    }
    *slash = '/';
  }
  return mkdir(partial, 0755) == 0 || errno == EEXIST;
}

void place_empty(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) {
    return;
  }
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
  closedir(folder);
}
