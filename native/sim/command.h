// The parts of the command nvml-sim.
#ifndef PITCREW_SIM_COMMAND_H
#define PITCREW_SIM_COMMAND_H

#include <stdio.h>

#include "state.h"

struct command {
  const char *path;
  struct sim_state *state;
  const struct sim_board *board;
  const char *name;
  char **arguments;
  int count;
};

// Prints why and ends the command.
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t sim_number(const char *text, uint64_t limit);
// A version such as "12.8", as CUDA counts it: 12080.
int sim_cuda(const char *text);
const char *sim_argument(const struct command *command, int position);
// Opens the state at the path; ends the command when there is none.
void sim_open(struct command *command, const char *path);
// The GPU that an argument names.
unsigned sim_gpu_argument(const struct command *command, int position);

void sim_show(const struct command *command, FILE *output);
void sim_minors(FILE *output);
// Reads the lines of a MIG layout and puts it into force for the GPUs that they name, all of them or none.
void sim_read_layout(const struct command *command, FILE *input);

// The commands that change a node while it runs, by the names that they have on the command line.
void sim_xid(const struct command *command);
void sim_ecc(const struct command *command);
void sim_condition(const struct command *command);
void sim_busy(const struct command *command);
void sim_footprint(const struct command *command);
void sim_first_open(const struct command *command);
void sim_fail_call(const struct command *command);
void sim_reset(const struct command *command);
void sim_unload(const struct command *command);
void sim_load(const struct command *command);
void sim_mismatch(const struct command *command);
void sim_set(const struct command *command);
void sim_get(const struct command *command);
void sim_process(const struct command *command);
void sim_use(const struct command *command);

#endif
