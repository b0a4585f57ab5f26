// The format is that of glibc, sysdeps/generic/dl-cache.h: a header, entries that are sorted by name (backwards), and
// the strings, which the entries point to. Every linker since glibc 2.2 reads it. Alpine, Talos and NixOS have no
// ldconfig, or one that is a script.
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "container.h"
#include "soname.h"

enum { MAX_CACHE = 16 << 20, MAX_LIBRARIES = 1 << 16, LITTLE_ENDIAN_CACHE = 2 };

static const char MAGIC[] = "glibc-ld.so.cache1.1";
static const char OLD_MAGIC[] = "ld.so-1.7.0"; // before the header, with entries of its own, until glibc 2.31

struct header {
  char magic[20];
  uint32_t count, strings;
  uint8_t flags, unused[3];
  uint32_t extensions, more[3];
};
_Static_assert(sizeof(struct header) == 48, "as glibc has it");

struct entry {
  int32_t flags;
  uint32_t key, value, unused;
  uint64_t hwcap;
};
_Static_assert(sizeof(struct entry) == 24, "as glibc has it");

// An entry with its texts; of two with one name the linker takes the first.
struct library {
  struct entry entry;
  char *name, *path;
  size_t order;
};

struct list {
  struct library *libraries;
  size_t count;
};

static bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

static uint32_t number(const char **text) {
  uint32_t value = 0;
  for (; is_digit(**text); (*text)++) value = value * 10 + (uint32_t)(**text - '0');
  return value;
}

// glibc, elf/dl-cache.c (_dl_cache_libcmp): numbers count as numbers of 32 bits, and are more than any letter.
static int compare_names(const char *one, const char *other) {
  while (*one != 0) {
    if (is_digit(*one) && is_digit(*other)) {
      int32_t difference = (int32_t)(number(&one) - number(&other));
      if (difference != 0) return difference;
    } else if (is_digit(*one) || is_digit(*other)) {
      return is_digit(*one) ? 1 : -1;
    } else if (*one++ != *other++) {
      return one[-1] - other[-1];
    }
  }
  return *one - *other;
}

static int compare(const void *one, const void *other) {
  const struct library *first = one, *second = other;
  int order = compare_names(second->name, first->name);
  return order != 0 ? order : first->order < second->order ? -1 : 1;
}

static bool add(struct list *list, const struct entry *entry, const char *name, const char *path) {
  if (list->count == MAX_LIBRARIES) {
    errno = EFBIG;
    return false;
  }
  struct library *grown = list->libraries;
  if ((list->count & (list->count - 1)) == 0) { // full at each power of two
    grown = realloc(grown, (list->count == 0 ? 1 : 2 * list->count) * sizeof *grown);
    if (grown == NULL) return false;
    list->libraries = grown;
  }
  struct library *next = &grown[list->count];
  *next = (struct library){.entry = *entry, .name = strdup(name), .path = strdup(path), .order = list->count};
  if (next->name != NULL && next->path != NULL) return ++list->count > 0;
  free(next->name);
  free(next->path);
  return false;
}

static void release(struct list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->libraries[i].name);
    free(list->libraries[i].path);
  }
  free(list->libraries);
}

static struct library *find(const struct list *list, size_t from, const char *name, int32_t flags) {
  for (size_t i = from; i < list->count; i++) {
    if (list->libraries[i].entry.flags == flags && strcmp(list->libraries[i].name, name) == 0) return &list->libraries[i];
  }
  return NULL;
}

static const char *file_of(const struct library *library) {
  return strrchr(library->path, '/') + 1;
}

// Of several files with one name in a folder the newest counts, as with ldconfig.
static bool take(struct list *list, size_t from, const char *path, const struct soname *library) {
  struct library *known = find(list, from, library->name, library->flags);
  struct entry entry = {.flags = library->flags};
  if (known == NULL) return add(list, &entry, library->name, path);
  if (compare_names(strrchr(path, '/') + 1, file_of(known)) <= 0) return true;
  char *newer = strdup(path);
  if (newer == NULL) return false;
  free(known->path);
  known->path = newer;
  return true;
}

static bool is_library(const char *name) {
  return (strncmp(name, "lib", 3) == 0 || strncmp(name, "ld-", 3) == 0) && strstr(name, ".so") != NULL;
}

// A file counts by the name that the library gives itself, a link by its own.
static bool read_library(int root, int folder, const char *name, const char *path, bool links, struct soname *library) {
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if ((status.st_mode & S_IFMT) != (links ? S_IFLNK : S_IFREG)) return false;
  int file = container_find(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  bool found = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && soname_read(file, library);
  close(file);
  if (found && (links || library->name[0] == 0)) strcpy(library->name, name);
  return found;
}

// The link that ldconfig makes. A file of that name stays: the cache has the path of the library itself.
static void link_name(int folder, const struct library *library) {
  struct stat status;
  if (strcmp(library->name, file_of(library)) == 0) return;
  if (fstatat(folder, library->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode)) {
    unlinkat(folder, library->name, 0);
  }
  if (symlinkat(file_of(library), folder, library->name) != 0 && errno != EEXIST) {
    complain("warning", strerror(errno), library->name);
  }
}

static bool scan(struct list *list, size_t from, int root, DIR *entries, const char *folder, bool links) {
  rewinddir(entries);
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    char path[PATH_MAX];
    struct soname library;
    int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (!is_library(entry->d_name) || length >= (int)sizeof path) continue;
    if (!read_library(root, dirfd(entries), entry->d_name, path, links, &library)) continue;
    if (!take(list, from, path, &library)) return false;
  }
  return true;
}

// The links last: libcuda.so leads to libcuda.so.1, which is made here.
static bool scan_all(struct list *list, int root, DIR *entries, const char *folder) {
  size_t from = list->count;
  if (!scan(list, from, root, entries, folder, false)) return false;
  for (size_t i = from; i < list->count; i++) link_name(dirfd(entries), &list->libraries[i]);
  return scan(list, from, root, entries, folder, true);
}

// A folder that is not there has no libraries.
static bool add_folder(struct list *list, int root, const char *path) {
  int folder = container_find(root, path, O_RDONLY | O_DIRECTORY);
  DIR *entries = folder < 0 ? NULL : fdopendir(folder);
  if (entries == NULL) {
    if (folder >= 0) close(folder);
    return folder < 0;
  }
  bool good = scan_all(list, root, entries, path);
  closedir(entries);
  return good;
}

// A text of the cache; NULL where it does not end.
static const char *text(const char *cache, size_t size, uint32_t at) {
  return at < size && memchr(cache + at, 0, size - at) != NULL ? cache + at : NULL;
}

// What the image has stays, but for variants of libraries for some CPUs (glibc-hwcaps), which are named in another table.
static bool add_entries(struct list *list, const char *cache, size_t size) {
  struct header header;
  size_t before = 0;
  if (size > 16 && memcmp(cache, OLD_MAGIC, sizeof OLD_MAGIC - 1) == 0) {
    uint32_t old;
    memcpy(&old, cache + 12, sizeof old);
    before = (16 + 12 * (size_t)old + 7) / 8 * 8;
  }
  if (before > size || size - before < sizeof header) return true;
  cache += before;
  size -= before;
  memcpy(&header, cache, sizeof header);
  if (memcmp(header.magic, MAGIC, sizeof header.magic) != 0) return true;
  if ((size - sizeof header) / sizeof(struct entry) < header.count) return true;
  for (uint32_t i = 0; i < header.count; i++) {
    struct entry entry;
    memcpy(&entry, cache + sizeof header + i * sizeof entry, sizeof entry);
    const char *name = text(cache, size, entry.key), *path = text(cache, size, entry.value);
    if (name != NULL && path != NULL && entry.hwcap >> 62 != 1 && !add(list, &entry, name, path)) return false;
  }
  return true;
}

static bool add_old(struct list *list, int root) {
  int file = container_find(root, "/etc/ld.so.cache", O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file < 0) return errno == ENOENT;
  bool usable = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_CACHE;
  char *cache = usable ? malloc((size_t)status.st_size + 1) : NULL;
  ssize_t size = cache == NULL ? 0 : pread(file, cache, (size_t)status.st_size, 0);
  close(file);
  bool good = size >= 0 && (cache != NULL || !usable) && add_entries(list, cache, (size_t)size);
  free(cache);
  return good;
}

static bool write_all(FILE *out, struct list *list) {
  struct header header = {.count = (uint32_t)list->count, .flags = LITTLE_ENDIAN_CACHE};
  memcpy(header.magic, MAGIC, sizeof header.magic);
  size_t at = sizeof header + list->count * sizeof(struct entry), first = at;
  for (size_t i = 0; i < list->count; i++) {
    struct library *library = &list->libraries[i];
    library->entry.key = (uint32_t)at;
    library->entry.value = (uint32_t)(at += strlen(library->name) + 1);
    at += strlen(library->path) + 1;
  }
  if (at > INT32_MAX) return false;
  header.strings = (uint32_t)(at - first);
  fwrite(&header, sizeof header, 1, out);
  for (size_t i = 0; i < list->count; i++) fwrite(&list->libraries[i].entry, sizeof(struct entry), 1, out);
  for (size_t i = 0; i < list->count; i++) {
    fwrite(list->libraries[i].name, 1, strlen(list->libraries[i].name) + 1, out);
    fwrite(list->libraries[i].path, 1, strlen(list->libraries[i].path) + 1, out);
  }
  return true;
}

static bool write_cache(int root, struct list *list) {
  char *content = NULL;
  size_t size = 0;
  qsort(list->libraries, list->count, sizeof *list->libraries, compare);
  FILE *out = open_memstream(&content, &size);
  if (out == NULL) return false;
  bool good = write_all(out, list);
  good = fclose(out) == 0 && good;
  int folder = good ? container_folder(root, "/etc") : -1;
  good = folder >= 0 && container_write(folder, "ld.so.cache", content, size);
  if (folder >= 0) close(folder);
  free(content);
  return good;
}

bool cache_add(int root, const char *first, const char *const folders[], size_t count) {
  struct list list = {0};
  bool good = first == NULL || add_folder(&list, root, first);
  for (size_t i = 0; good && i < count; i++) good = add_folder(&list, root, folders[i]);
  good = good && add_old(&list, root) && (list.count == 0 || write_cache(root, &list));
  release(&list);
  return good;
}
