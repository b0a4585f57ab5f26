// Prefers the image's own newer libcuda (CUDA forward compatibility) over the host's driver.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "container.h"
#include "hooks.h"

static const char COMPAT[] = "/usr/local/cuda/compat";
static const char LIBRARY[] = "libcuda.so.";
static const char CONTENT[] = "/usr/local/cuda/compat\n";
static const char FILE_NAME[] = "00-compat-pitcrew.conf";

// The first number of a version of two numbers and more; 0 where it is none. libcuda.so.1 is none.
static unsigned long major_of(const char *version) {
  char *end;
  if (!isdigit((unsigned char)version[0])) return 0;
  unsigned long major = strtoul(version, &end, 10);
  return end[0] == '.' && isdigit((unsigned char)end[1]) ? major : 0;
}

static unsigned long newest(int folder) {
  unsigned long found = 0;
  DIR *entries = fdopendir(folder);
  if (entries == NULL) {
    close(folder);
    return 0;
  }
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (strncmp(entry->d_name, LIBRARY, sizeof LIBRARY - 1) != 0) continue;
    unsigned long major = major_of(entry->d_name + sizeof LIBRARY - 1);
    if (major > found) found = major;
  }
  closedir(entries);
  return found;
}

static int enable(int root, unsigned long host) {
  int compat = container_find(root, COMPAT, O_RDONLY | O_DIRECTORY);
  // Newer by its first number only: forward compatibility is between branches of the driver.
  if (compat < 0 || newest(compat) <= host) return 0;
  int folder = container_folder(root, "/etc/ld.so.conf.d");
  bool good = folder >= 0 && container_write(folder, FILE_NAME, CONTENT, sizeof CONTENT - 1);
  if (!good) complain("error", "cannot prefer the image's libcuda", strerror(errno));
  if (folder >= 0) close(folder);
  return good ? 0 : 1;
}

int enable_cuda_compat(char *const words[]) {
  static struct flag version = {.name = "--host-driver-version"};
  arguments_read(words, (struct flag *const[]){&version}, 1);
  unsigned long host = version.count == 0 ? 0 : major_of(version.values[version.count - 1]);
  if (host == 0) return 0;
  int root = container_open();
  if (root < 0) return 1;
  int status = enable(root, host);
  close(root);
  return status;
}
