#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static ssize_t read_some(int file, char *bytes, size_t size) {
  ssize_t count;
  do {
    count = read(file, bytes, size);
  } while (count < 0 && errno == EINTR);
  return count;
}

static bool read_open(int file, char *text, size_t size) {
  size_t length = 0;
  for (;;) {
    ssize_t count = read_some(file, text + length, size - length);
    if (count <= 0) {
      text[length < size ? length : size - 1] = '\0';
      return count == 0;
    }
    length += (size_t)count;
    if (length == size) {
      errno = EFBIG;
      return false;
    }
  }
}

bool read_text(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  bool complete = read_open(file, text, size);
  int reason = errno;
  close(file);
  errno = reason;
  return complete;
}
