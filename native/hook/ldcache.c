// Makes the container's linker find the libraries that were mounted. The container's own ldconfig is never run.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "cache.h"
#include "container.h"
#include "hooks.h"
#include "ldconfig.h"
#include "musl.h"

static const char FOLDERS_FILE[] = "00-nvcr-pitcrew.conf";
static const char INCLUDE[] = "include /etc/ld.so.conf.d/*.conf\n";
enum { MAX_CONFIGURATION = 1 << 20 };

static bool is_plain_folder(const char *folder) {
  return folder[0] == '/' && strpbrk(folder, "\n\r") == NULL;
}

static void drop_others(struct flag *folders) {
  size_t kept = 0;
  for (size_t i = 0; i < folders->count; i++) {
    if (is_plain_folder(folders->values[i])) {
      folders->values[kept++] = folders->values[i];
    } else {
      complain("warning", "not a folder, ignored", folders->values[i]);
    }
  }
  folders->count = kept;
}

static bool write_folders(int root, const struct flag *folders) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return false;
  for (size_t i = 0; i < folders->count; i++) fprintf(out, "%s\n", folders->values[i]);
  bool good = fclose(out) == 0;
  int folder = good ? container_folder(root, "/etc/ld.so.conf.d") : -1;
  good = folder >= 0 && container_write(folder, FOLDERS_FILE, text, size);
  if (folder >= 0) close(folder);
  free(text);
  return good;
}

// An image without ld.so.conf, or with one that does not read our folder, gets the line that does.
static bool include_folder(int root) {
  // Whatever the image has there, opening it does not block.
  int file = container_find(root, "/etc/ld.so.conf", O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(file);
    errno = EINVAL;
    return false;
  }
  char *old = file < 0 ? NULL : read_all(file, MAX_CONFIGURATION);
  if (file >= 0) close(file);
  if (file >= 0 && old == NULL) return false;
  bool good = true;
  if (old == NULL || strstr(old, "ld.so.conf.d/*.conf") == NULL) {
    size_t size = sizeof INCLUDE + (old == NULL ? 0 : strlen(old));
    char *text = malloc(size + 1);
    int folder = text == NULL ? -1 : container_folder(root, "/etc");
    if (folder >= 0) {
      int length = snprintf(text, size + 1, "%s%s", INCLUDE, old == NULL ? "" : old);
      good = container_write(folder, "ld.so.conf", text, (size_t)length);
      close(folder);
    } else {
      good = false;
    }
    free(text);
  }
  free(old);
  return good;
}

static bool write_cache(int root, const struct flag *folders, const char *wanted) {
  int program = ldconfig_open(wanted);
  if (program < 0) return cache_add(root, preferred_folder(root), folders->values, folders->count);
  bool good = ldconfig_run(root, program);
  close(program);
  return good;
}

int update_ldcache(char *const words[]) {
  static struct flag folders = {.name = "--folder"}, ldconfig = {.name = "--ldconfig-path"};
  arguments_read(words, (struct flag *const[]){&folders, &ldconfig}, 2);
  if (folders.count == 0) return 0;
  int root = container_open();
  if (root < 0) return 1;
  drop_others(&folders);
  bool good = write_folders(root, &folders) && musl_add(root, folders.values, folders.count) && include_folder(root) &&
              write_cache(root, &folders, ldconfig.count > 0 ? ldconfig.values[ldconfig.count - 1] : NULL);
  if (!good) complain("error", "cannot update the linker's cache", strerror(errno));
  close(root);
  return good ? 0 : 1;
}
