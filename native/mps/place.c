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

bool place_is_claim(const char *resource) {
  return strncmp(resource, CLAIMS "/", sizeof CLAIMS) == 0;
}

void place_of_clients(const struct place *place, const char *resource, const char *name, char *path, size_t size) {
  if (place_is_claim(resource)) {
    snprintf(path, size, "%s/%s/%s", place->claims_root, resource + sizeof CLAIMS, name);
  } else {
    place_of(place, resource, name, path, size);
  }
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

enum { PASSES = 10 * 1000, NAME_BYTES = 32 };

typedef bool entry_action(int folder, const char *name, int target);

// False if the action failed for an entry, or the folder cannot be read. Closes `folder`.
static bool for_each_entry(int folder, entry_action *action, int target) {
  DIR *entries = folder < 0 ? NULL : fdopendir(folder);
  if (entries == NULL) {
    if (folder >= 0) {
      close(folder);
    }
    return false;
  }
  bool done = true;
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      done = action(dirfd(entries), entry->d_name, target) && done;
    }
  }
  closedir(entries);
  return done;
}

static bool remove_entry(int folder, const char *name) {
  return unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static int open_folder(int above, const char *name) {
  return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool lift(int folder, const char *name, int target) {
  static unsigned long count;
  char lifted[NAME_BYTES];
  snprintf(lifted, sizeof lifted, ".lifted-%lu", count++);
  return remove_entry(folder, name) || renameat(folder, name, target, lifted) == 0;
}

// A folder that is not empty hands its own folders up, so that none is too deep for the descriptors of this process.
static bool remove_or_lift(int folder, const char *name, int target) {
  if (remove_entry(folder, name)) {
    return true;
  }
  for_each_entry(open_folder(folder, name), lift, target);
  remove_entry(folder, name);
  return false;
}

void place_empty(const char *path) {
  bool is_empty = false;
  // Clients may add to it meanwhile, hence the limit.
  for (int pass = 0; pass < PASSES && !is_empty; pass++) {
    int folder = open_folder(AT_FDCWD, path);
    if (folder < 0) {
      return;
    }
    is_empty = for_each_entry(dup(folder), remove_or_lift, folder);
    close(folder);
  }
}

void place_remove(const char *path) {
  place_empty(path);
  rmdir(path);
}
