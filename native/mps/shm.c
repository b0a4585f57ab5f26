#define _GNU_SOURCE
#include "shm.h"

#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "../gate/files.h"
#include "../gate/log.h"

static bool is_mounted(const char *path) {
  char parent[PATH_MAX];
  struct stat here;
  struct stat above;
  struct statfs system;
  snprintf(parent, sizeof parent, "%s/..", path);
  return stat(path, &here) == 0 && stat(parent, &above) == 0 && here.st_dev != above.st_dev &&
         statfs(path, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

// Half of the machine's memory, as the reference gives it.
static long size_kib(void) {
  static const long OTHERWISE = 65536;
  char text[8192] = "";
  long total = 0;
  // The file is longer than this on some kernels; its first line is the one that counts.
  read_text("/proc/meminfo", text, sizeof text);
  return sscanf(text, "MemTotal: %ld kB", &total) == 1 && total > 1 ? total / 2 : OTHERWISE;
}

static bool mount_memory(const char *path, int mode) {
  char options[64];
  if (is_mounted(path)) {
    return true;
  }
  snprintf(options, sizeof options, "size=%ldk,mode=%o", size_kib(), mode);
  if (!place_folder(path) || mount("shm", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME, options) != 0) {
    log_failure("the shared memory of MPS clients cannot be mounted", path);
    return false;
  }
  return true;
}

bool shm_mount(const struct place *place) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/shm", place->mps_root);
  return mount_memory(path, 01777);
}

bool shm_mount_claims(const struct place *place) {
  char parent[PATH_MAX];
  snprintf(parent, sizeof parent, "%s", place->claims_root);
  *strrchr(parent, '/') = '\0';
  return access(parent, F_OK) == 0 && mount_memory(place->claims_root, 0755);
}
