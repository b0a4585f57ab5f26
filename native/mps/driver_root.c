#define _GNU_SOURCE
#include "driver_root.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const char CONTROL[] = "nvidia-cuda-mps-control";

// Where programs and libraries lie in any distribution. The rest of a host (its pods' mounts below /var and /run) is
// neither needed nor cheap to copy.
static const char *const PARTS[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "opt", "home", "nix", "gnu"};
static const char *const FOLDERS_OF_PROGRAMS[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/bin"};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

// The new root is mounted here, over an empty folder, where no other process sees it.
#define NEW_ROOT ".root"

static bool has_control(const char *root) {
  char path[PATH_MAX];
  struct stat status;
  for (size_t i = 0; i < LENGTH(FOLDERS_OF_PROGRAMS); i++) {
    snprintf(path, sizeof path, "%s%s/%s", root, FOLDERS_OF_PROGRAMS[i], CONTROL);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IXUSR) != 0) {
      return true;
    }
  }
  return false;
}

// A driver container's root before the host's own.
static bool find(const struct place *place, char *root, size_t size) {
  snprintf(root, size, "%s%s", place->host_root, place->driver_folder);
  if (has_control(root)) {
    return true;
  }
  snprintf(root, size, "%s", place->host_root);
  return has_control(root);
}

bool driver_root_is_there(const struct place *place, char *reason, size_t size) {
  char root[PATH_MAX];
  if (find(place, root, sizeof root)) {
    return true;
  }
  snprintf(reason, size, "no %s below %s or / of the host: the driver is not there or has no MPS", CONTROL,
           place->driver_folder);
  return false;
}

static bool bind(const char *source, const char *target, unsigned long more) {
  return (mkdir(target, 0755) == 0 || errno == EEXIST) && mount(source, target, NULL, MS_BIND | more, NULL) == 0;
}

static bool bind_part(const char *root, const char *new_root, const char *name) {
  char source[PATH_MAX];
  char target[PATH_MAX];
  char link[PATH_MAX] = "";
  struct stat status;
  snprintf(source, sizeof source, "%s/%s", root, name);
  snprintf(target, sizeof target, "%s/%s", new_root, name);
  if (lstat(source, &status) != 0) {
    return errno == ENOENT;
  }
  if (S_ISLNK(status.st_mode)) {
    return readlink(source, link, sizeof link - 1) > 0 && symlink(link, target) == 0;
  }
  return !S_ISDIR(status.st_mode) || bind(source, target, MS_REC);
}

// A driver container has its device files in its own /dev.
static void find_devices(const struct place *place, const char *root, char *dev, size_t size) {
  char control[PATH_MAX];
  snprintf(control, sizeof control, "%s/dev/nvidiactl", root);
  bool is_own = access(control, F_OK) == 0;
  snprintf(dev, size, "%s/dev", is_own ? root : place->host_root);
}

static bool bind_devices(const struct place *place, const char *root, const char *new_root) {
  char path[PATH_MAX];
  char target[PATH_MAX];
  find_devices(place, root, path, sizeof path);
  snprintf(target, sizeof target, "%s/dev", new_root);
  return bind(path, target, MS_REC);
}

static bool bind_resources(const struct place *place, const char *new_root) {
  char path[PATH_MAX];
  char target[PATH_MAX];
  snprintf(path, sizeof path, "%s/shm", place->mps_root);
  snprintf(target, sizeof target, "%s/dev/shm", new_root);
  if (!bind(path, target, 0)) {
    return false;
  }
  snprintf(target, sizeof target, "%s" MPS_ROOT_OF_CLIENTS, new_root);
  return bind(place->mps_root, target, 0);
}

static bool bind_claim(const struct place *place, const char *claim, const char *new_root) {
  static const char *const PAIRS[][2] = {{"shm", "dev/shm"}, {"pipe", "tmp/nvidia-mps"}, {"log", "var/log/nvidia-mps"}};
  static const char *const ABOVE[] = {"tmp", "var", "var/log"};
  char path[PATH_MAX];
  char target[PATH_MAX];
  for (size_t i = 0; i < LENGTH(ABOVE); i++) {
    snprintf(target, sizeof target, "%s/%s", new_root, ABOVE[i]);
    if (mkdir(target, 01777) != 0 && errno != EEXIST) {
      return false;
    }
  }
  for (size_t i = 0; i < LENGTH(PAIRS); i++) {
    place_of_clients(place, claim, PAIRS[i][0], path, sizeof path);
    snprintf(target, sizeof target, "%s/%s", new_root, PAIRS[i][1]);
    if (access(path, F_OK) == 0 && !bind(path, target, 0)) {
      return false;
    }
  }
  return true;
}

static bool bind_shared(const struct place *place, const char *resource, const char *new_root) {
  return place_is_claim(resource) ? bind_claim(place, resource, new_root) : bind_resources(place, new_root);
}

static bool bind_kernel(const char *new_root) {
  char target[PATH_MAX];
  snprintf(target, sizeof target, "%s/proc", new_root);
  bool done = bind("/proc", target, MS_REC);
  snprintf(target, sizeof target, "%s/sys", new_root);
  done = done && bind("/sys", target, MS_REC);
  snprintf(target, sizeof target, "%s/tmp", new_root);
  return done && (mkdir(target, 01777) == 0 || errno == EEXIST);
}

static bool build(const struct place *place, const char *resource, const char *root, const char *new_root, const char **step) {
  *step = "bind the driver's folders";
  for (size_t i = 0; i < LENGTH(PARTS); i++) {
    if (!bind_part(root, new_root, PARTS[i])) {
      return false;
    }
  }
  *step = "bind /dev, /dev/shm and the folders of clients";
  if (!bind_devices(place, root, new_root) || !bind_shared(place, resource, new_root)) {
    return false;
  }
  *step = "bind /proc and /sys";
  return bind_kernel(new_root);
}

bool driver_root_enter(const struct place *place, const char *resource, const char **step) {
  char root[PATH_MAX];
  char new_root[PATH_MAX];
  *step = "find the driver";
  if (!find(place, root, sizeof root)) {
    errno = ENOENT;
    return false;
  }
  *step = "get a mount namespace";
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
    return false;
  }
  *step = "mount a new root";
  snprintf(new_root, sizeof new_root, "%s/" NEW_ROOT, place->mps_root);
  if ((mkdir(new_root, 0700) != 0 && errno != EEXIST) ||
      mount("pitcrew-mps", new_root, "tmpfs", MS_NOSUID, "size=1m,mode=0755") != 0) {
    return false;
  }
  if (!build(place, resource, root, new_root, step)) {
    return false;
  }
  *step = "enter the new root";
  return chroot(new_root) == 0 && chdir("/") == 0;
}
