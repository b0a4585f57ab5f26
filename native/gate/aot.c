#define _GNU_SOURCE
#include "aot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "classpath.h"
#include "log.h"
#include "sha256.h"

enum { CHUNK_BYTES = 64 * 1024, PATH_BYTES = 4096 };

// Every text and file goes in with its length in front: no two different lists give the same bytes.
static void add_length(struct sha256 *hash, unsigned long long length) {
  char digits[24];
  int count = snprintf(digits, sizeof digits, "%llu:", length);
  sha256_add(hash, digits, (size_t)count);
}

static void add_text(struct sha256 *hash, const char *text) {
  add_length(hash, strlen(text));
  sha256_add(hash, text, strlen(text));
}

static bool add_content(struct sha256 *hash, int file, off_t size) {
  static char chunk[CHUNK_BYTES];
  off_t done = 0;
  ssize_t count;
  while ((count = read(file, chunk, sizeof chunk)) > 0) {
    sha256_add(hash, chunk, (size_t)count);
    done += count;
  }
  if (count == 0 && done != size) {
    errno = EAGAIN; // it changed while it was read
  }
  return done == size && count == 0;
}

static bool add_open(struct sha256 *hash, int file) {
  struct stat status;
  if (fstat(file, &status) != 0) {
    return false;
  }
  add_length(hash, (unsigned long long)status.st_size);
  return add_content(hash, file, status.st_size);
}

static bool add_file(struct sha256 *hash, const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  bool done = add_open(hash, file);
  int reason = errno;
  // With a cache the JVM reads next to nothing of the jars: do not let the container pay for their pages.
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
  errno = reason;
  return done;
}

static bool add_jars(struct sha256 *hash, const char *class_path) {
  static char parts[CLASS_PATH_BYTES];
  snprintf(parts, sizeof parts, "%s", class_path);
  char *rest = parts;
  for (char *jar = next_part(&rest); jar != NULL; jar = next_part(&rest)) {
    add_text(hash, jar);
    if (!add_file(hash, jar)) {
      log_failure("no digest of a jar, so no AOT cache", jar);
      return false;
    }
  }
  return true;
}

static bool add_named(struct sha256 *hash, const struct table *table, const char *name) {
  char path[PATH_BYTES];
  errno = ENAMETOOLONG;
  if (!table_resolve(table, name, path, sizeof path) || !add_file(hash, path)) {
    log_failure("no digest of a file, so no AOT cache", name);
    return false;
  }
  return true;
}

// The text file `release` beside the folder of the launcher says which build of which JDK it is.
static bool add_jdk(struct sha256 *hash, const struct table *table, const struct program *program) {
  char launcher[PATH_BYTES];
  char release[PATH_BYTES];
  snprintf(launcher, sizeof launcher, "%s", program->java);
  int length = snprintf(release, sizeof release, "%s/../release", dirname(launcher));
  return length < (int)sizeof release && add_named(hash, table, release);
}

bool aot_path(const struct table *table, const struct program *program, const char *class_path,
              char path[AOT_PATH_BYTES]) {
  struct sha256 hash;
  sha256_start(&hash);
  add_text(&hash, program->main_class);
  if (!add_jdk(&hash, table, program) ||
      (program->flags != NULL && !add_named(&hash, table, program->flags)) ||
      !add_jars(&hash, class_path)) {
    return false;
  }
  char hex[SHA256_HEX];
  sha256_end(&hash, hex);
  char folder[PATH_BYTES];
  if (!table_resolve(table, program->aot, folder, sizeof folder)) {
    return false;
  }
  int length = snprintf(path, AOT_PATH_BYTES, "%s/%s-%s.aot", folder, program->name, hex);
  return length < AOT_PATH_BYTES;
}

static bool is_cache_of(const char *file, const char *program) {
  size_t length = strlen(program);
  return strncmp(file, program, length) == 0 && file[length] == '-';
}

bool aot_has_any(const struct table *table, const struct program *program) {
  char path[PATH_BYTES];
  if (program->aot == NULL || !table_resolve(table, program->aot, path, sizeof path)) {
    return false;
  }
  DIR *folder = opendir(path);
  bool found = false;
  if (folder != NULL) {
    for (struct dirent *entry = readdir(folder); entry != NULL && !found; entry = readdir(folder)) {
      found = is_cache_of(entry->d_name, program->name);
    }
    closedir(folder);
  }
  return found;
}
