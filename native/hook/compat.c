// Prefers the image's own newer libcuda (CUDA forward compatibility) over the host's driver.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "compat_note.h"
#include "container.h"
#include "hooks.h"

static const char COMPAT[] = "/usr/local/cuda/compat";
static const char LIBRARY[] = "libcuda.so.";
static const char CONTENT[] = "/usr/local/cuda/compat\n";
static const char FOLDER[] = "/etc/ld.so.conf.d";
static const char FILE_NAME[] = "00-compat-pitcrew.conf";

struct version {
  unsigned long numbers[3];
};

// A version of two numbers and more. libcuda.so.1 is none.
static bool read_version(const char *text, struct version *version) {
  *version = (struct version){0};
  for (size_t i = 0; i < 3; i++) {
    if (!isdigit((unsigned char)text[0])) return false;
    char *end;
    version->numbers[i] = strtoul(text, &end, 10);
    if (*end == 0) return i > 0;
    if (*end != '.') return false;
    text = end + 1;
  }
  return true;
}

static bool is_newer(const struct version *one, const struct version *other) {
  for (size_t i = 0; i < 3; i++) {
    if (one->numbers[i] != other->numbers[i]) return one->numbers[i] > other->numbers[i];
  }
  return false;
}

// The only regular file libcuda.so.VERSION of the folder: of several none is known to be the one that is loaded.
static int open_library(int folder, struct version *version) {
  int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = own < 0 ? NULL : fdopendir(own);
  int library = -1, count = 0;
  if (entries == NULL) {
    if (own >= 0) close(own);
    return -1;
  }
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    struct version found;
    struct stat status;
    if (strncmp(entry->d_name, LIBRARY, sizeof LIBRARY - 1) != 0) continue;
    if (!read_version(entry->d_name + sizeof LIBRARY - 1, &found)) continue;
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (count++ > 0) break;
    *version = found;
    library = openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  }
  closedir(entries);
  if (count > 1) {
    complain("warning", "more than one libcuda, none is preferred", COMPAT);
    if (library >= 0) close(library);
    return -1;
  }
  return library;
}

// As NVIDIA's hook decides: by the note of the library where it has one, which knows of exceptions, else by the first
// number, since forward compatibility is between branches of the driver.
static bool is_preferred(int folder, const struct version *host) {
  struct version version;
  int library = open_library(folder, &version);
  if (library < 0) return false;
  bool supports = false;
  bool noted = compat_note(library, host->numbers[0], &supports);
  close(library);
  return noted ? supports && is_newer(&version, host) : version.numbers[0] > host->numbers[0];
}

static int enable(int root, const struct version *host) {
  int compat = container_find(root, COMPAT, O_RDONLY | O_DIRECTORY);
  if (compat < 0) return 0;
  bool preferred = is_preferred(compat, host);
  close(compat);
  if (!preferred) return 0;
  int folder = container_folder(root, FOLDER);
  bool good = folder >= 0 && container_write(folder, FILE_NAME, CONTENT, sizeof CONTENT - 1);
  if (!good) complain("error", "cannot prefer the image's libcuda", strerror(errno));
  if (folder >= 0) close(folder);
  return good ? 0 : 1;
}

const char *preferred_folder(int root) {
  char path[sizeof FOLDER + sizeof FILE_NAME];
  snprintf(path, sizeof path, "%s/%s", FOLDER, FILE_NAME);
  int file = container_find(root, path, O_PATH);
  if (file >= 0) close(file);
  return file < 0 ? NULL : COMPAT;
}

int enable_cuda_compat(char *const words[]) {
  static struct flag version = {.name = "--host-driver-version"};
  arguments_read(words, (struct flag *const[]){&version}, 1);
  struct version host;
  if (version.count == 0 || !read_version(version.values[version.count - 1], &host)) return 0;
  int root = container_open();
  if (root < 0) return 1;
  int status = enable(root, &host);
  close(root);
  return status;
}
