#define _GNU_SOURCE
#include "evict.h"

#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

enum { OPEN_FOLDERS = 8, PATH_BYTES = 4096 };

static int evict(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status;
  (void)walk;
  int file = kind == FTW_F ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
  if (file >= 0) {
    // Only saves memory: what cannot be dropped stays.
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
  }
  return 0;
}

// Stays on one file system: what is mounted below is not the image's.
static void evict_folder(const char *folder) {
  nftw(folder, evict, OPEN_FOLDERS, FTW_PHYS | FTW_MOUNT);
}

static void evict_all(const struct table *table, const struct program *program) {
  char java[PATH_BYTES];
  evict_folder(table->home);
  if (table_resolve(table, program->java, java, sizeof java)) {
    evict_folder(dirname(dirname(java)));
  }
}

void evict_files(const struct table *table, const struct program *program) {
  // What walking a tree allocates dies with the child.
  pid_t child = fork();
  if (child == 0) {
    evict_all(table, program);
    _exit(0);
  }
  if (child < 0) {
    log_failure("the files of the JVM stay in memory", program->name);
  }
}
