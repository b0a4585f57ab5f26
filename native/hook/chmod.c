// Opens folders that the runtime made for device nodes.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "container.h"
#include "hooks.h"

static void change(int root, const char *path, mode_t mode) {
  int folder = container_find(root, path, O_RDONLY | O_DIRECTORY);
  if (folder < 0 || fchmod(folder, mode) != 0) complain("warning", strerror(errno), path);
  if (folder >= 0) close(folder);
}

int change_modes(char *const words[]) {
  static struct flag mode = {.name = "--mode"}, paths = {.name = "--path"};
  arguments_read(words, (struct flag *const[]){&mode, &paths}, 2);
  if (mode.count == 0 || paths.count == 0) return 0;
  char *end;
  unsigned long bits = strtoul(mode.values[mode.count - 1], &end, 8);
  if (*end != 0 || end == mode.values[mode.count - 1] || bits > 0777) {
    complain("error", "not a mode", mode.values[mode.count - 1]);
    return 1;
  }
  int root = container_open();
  if (root < 0) return 1;
  for (size_t i = 0; i < paths.count; i++) change(root, paths.values[i], (mode_t)bits);
  close(root);
  return 0;
}
