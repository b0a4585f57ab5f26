// "nvml-sim STATE mig": a MIG layout as lines, put into force as a whole.
#include <string.h>

#include "command.h"
#include "mig_plan.h"

struct reader {
  const struct command *command;
  struct sim_gpu gpus[SIM_MAX_GPUS];
  bool named[SIM_MAX_GPUS];
  unsigned line;
};

static struct sim_gpu *name_gpu(struct reader *reader, unsigned index) {
  if (index >= reader->command->state->gpu_count) sim_fail("mig, line %u: no GPU %u", reader->line, index);
  struct sim_gpu *gpu = &reader->gpus[index];
  if (reader->command->board->mig == NULL) sim_fail("mig, line %u: this board has no MIG", reader->line);
  if (!reader->named[index]) memset(gpu->instances, 0, sizeof gpu->instances);
  reader->named[index] = true;
  return gpu;
}

static void read_mode(struct reader *reader, const unsigned value[]) {
  struct sim_gpu *gpu = name_gpu(reader, value[0]);
  if (value[1] > 1 || value[2] > 1) sim_fail("mig, line %u: a mode is 0 or 1", reader->line);
  gpu->mig_mode = (uint8_t)value[1];
  gpu->readings.pending_mig_mode = value[2];
}

// The size in the line is not looked at: the profile has only one.
static void read_gpu_instance(struct reader *reader, const unsigned value[]) {
  struct sim_gpu *gpu = name_gpu(reader, value[0]);
  const struct sim_mig_profile *profile = sim_mig_profile_by_index(reader->command->board, value[2]);
  int start = (int)value[3];
  if (!gpu->mig_mode) sim_fail("mig, line %u: GPU %u is not in MIG mode", reader->line, value[0]);
  if (profile == NULL) sim_fail("mig, line %u: the board has no profile %u", reader->line, value[2]);
  if (value[1] > 127 || sim_instance_by_id(gpu, value[1]) != NULL)
    sim_fail("mig, line %u: GPU instance %u is there already", reader->line, value[1]);
  if (!sim_placement_exists(profile, start)) sim_fail("mig, line %u: no placement at %d", reader->line, start);
  if (!sim_placement_is_free(gpu, profile, start) || sim_instances_left(gpu, profile) == 0 ||
      sim_instance_add(gpu, profile, start, (int)value[1]) == NULL)
    sim_fail("mig, line %u: no room at %d", reader->line, start);
}

static void read_compute_instance(struct reader *reader, const unsigned value[]) {
  struct sim_gpu *gpu = name_gpu(reader, value[0]);
  struct sim_gpu_instance *instance = sim_instance_by_id(gpu, value[1]);
  if (instance == NULL) sim_fail("mig, line %u: no GPU instance %u", reader->line, value[1]);
  const struct sim_mig_profile *owner = sim_mig_profile_by_index(reader->command->board, instance->profile);
  const struct sim_compute_profile *profile = sim_compute_profile_by_index(owner, value[3]);
  if (profile == NULL) sim_fail("mig, line %u: no compute profile %u there", reader->line, value[3]);
  if (value[2] > 127 || sim_compute_by_id(instance, value[2]) != NULL)
    sim_fail("mig, line %u: compute instance %u is there already", reader->line, value[2]);
  if (sim_compute_add(instance, profile, owner->slices, (int)value[4], (int)value[2]) == NULL)
    sim_fail("mig, line %u: no room at %u", reader->line, value[4]);
}

static const struct {
  const char *word;
  int values;
  void (*read)(struct reader *reader, const unsigned value[]);
} LINES[] = {{"mode", 3, read_mode}, {"gi", 5, read_gpu_instance}, {"ci", 6, read_compute_instance}};

static void read_line(struct reader *reader, const char *line) {
  char word[16];
  unsigned value[6];
  int words = sscanf(line, "%15s %u %u %u %u %u %u", word, &value[0], &value[1], &value[2], &value[3], &value[4],
                     &value[5]);
  if (words <= 0 || word[0] == '#') return;
  for (unsigned i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
    if (strcmp(LINES[i].word, word) != 0 || words != LINES[i].values + 1) continue;
    LINES[i].read(reader, value);
    return;
  }
  sim_fail("mig, line %u: not understood: %s", reader->line, line);
}

void sim_read_layout(const struct command *command, FILE *input) {
  static struct reader reader;
  char line[256];
  reader.command = command;
  sim_lock(command->state);
  for (unsigned i = 0; i < command->state->gpu_count; i++) reader.gpus[i] = *sim_gpu(command->state, i);
  sim_unlock(command->state);
  while (fgets(line, sizeof line, input) != NULL) {
    reader.line++;
    read_line(&reader, line);
  }
  sim_lock(command->state);
  for (unsigned i = 0; i < command->state->gpu_count; i++) {
    if (!reader.named[i]) continue;
    *sim_gpu_edit(command->state, i) = reader.gpus[i];
    sim_gpu_commit(command->state, i);
  }
  sim_unlock(command->state);
}
