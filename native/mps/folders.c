#define _GNU_SOURCE
#include "folders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "desired.h"
#include "shm.h"
#include "tool.h"

// Without it containers under SELinux cannot open what is in it; where the file system has no labels none is needed.
static void label(const char *path) {
  static const char LABEL[] = "system_u:object_r:container_file_t:s0";
  if (access("/sys/fs/selinux", F_OK) == 0) {
    setxattr(path, "security.selinux", LABEL, sizeof LABEL, 0);
  }
}

// A socket that a dead daemon has left would be taken for a daemon that listens.
static bool prepare_pipe(const struct place *place, const char *resource, char *path) {
  place_of_clients(place, resource, "log", path, PATH_MAX);
  if (!place_folder(path)) {
    return false;
  }
  place_of_clients(place, resource, "pipe", path, PATH_MAX);
  place_empty(path);
  bool done = place_folder(path);
  label(path);
  return done;
}

static bool prepare_memory(const struct place *place, const char *claim, char *path) {
  place_of_clients(place, claim, "shm", path, PATH_MAX);
  bool done = place_folder(path) && chmod(path, 01777) == 0;
  label(path);
  return done;
}

// The folder of its marks is the first and the last of a claim: as long as it is there, something of the claim may be.
bool folders_prepare(const struct place *place, const char *resource, char *reason) {
  char path[PATH_MAX];
  bool is_claim = place_is_claim(resource);
  if (is_claim && !shm_mount_claims(place)) {
    snprintf(reason, REASON_BYTES, "%s is not shared with the host: delete this pod, so that its DaemonSet makes it again",
             place->claims_root);
    return false;
  }
  place_of(place, resource, "", path, sizeof path);
  bool done = place_folder(path) && prepare_pipe(place, resource, path) && (!is_claim || prepare_memory(place, resource, path));
  if (!done) {
    snprintf(reason, REASON_BYTES, "%s cannot be made: %s", path, strerror(errno));
  }
  return done;
}

static void remove_claim(const struct place *place, const char *claim) {
  char path[PATH_MAX];
  place_of_clients(place, claim, "", path, sizeof path);
  place_remove(path);
  place_of(place, claim, "", path, sizeof path);
  place_remove(path);
}

void folders_remove_claims(const struct place *place, bool (*is_kept)(const char *claim)) {
  char path[PATH_MAX];
  char claim[RESOURCE_BYTES * 2];
  place_of(place, CLAIMS, "", path, sizeof path);
  DIR *folder = opendir(path);
  for (struct dirent *entry = folder == NULL ? NULL : readdir(folder); entry != NULL; entry = readdir(folder)) {
    snprintf(claim, sizeof claim, CLAIMS "/%s", entry->d_name);
    if (entry->d_name[0] != '.' && !is_kept(claim)) {
      remove_claim(place, claim);
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
}
