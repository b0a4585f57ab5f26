// What the simulator's commands share: arguments, and how they give up.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

void sim_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("nvml-sim: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

uint64_t sim_number(const char *text, uint64_t limit) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 0);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value > limit)
    sim_fail("not a number up to %llu: %s", (unsigned long long)limit, text);
  return value;
}

int sim_cuda(const char *text) {
  int major, minor;
  char rest;
  if (sscanf(text, "%d.%d%c", &major, &minor, &rest) != 2) sim_fail("CUDA: MAJOR.MINOR, not %s", text);
  return 1000 * major + 10 * minor;
}

const char *sim_argument(const struct command *command, int position) {
  if (position >= command->count) sim_fail("%s: too few arguments; see 'nvml-sim --help'", command->name);
  return command->arguments[position];
}

unsigned sim_gpu_argument(const struct command *command, int position) {
  unsigned index = (unsigned)sim_number(sim_argument(command, position), SIM_MAX_GPUS);
  if (index >= command->state->gpu_count) sim_fail("no GPU %u: there are %u", index, command->state->gpu_count);
  return index;
}

void sim_open(struct command *command, const char *path) {
  command->path = path;
  command->state = sim_state_open(path, NULL);
  if (command->state == NULL) sim_fail("%s: %s", path, strerror(errno));
  command->board = sim_board_by_key(command->state->board_key);
  if (command->board == NULL) sim_fail("%s: made by another version", path);
}
