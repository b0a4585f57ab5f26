// The commands of nvml-sim that change a node while it runs: faults, events, resets, settings.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "nvml_abi.h"

static uint16_t instance_argument(const struct command *command, int position) {
  bool given = position < command->count && strncmp(command->arguments[position], "--", 2) != 0;
  return given ? (uint16_t)sim_number(command->arguments[position], 127) : SIM_NO_INSTANCE;
}

void sim_xid(const struct command *command) {
  unsigned gpu = sim_gpu_argument(command, 0);
  struct sim_event event = {.gpu = gpu, .type = nvmlEventTypeXidCriticalError,
                            .data = sim_number(sim_argument(command, 1), UINT32_MAX),
                            .gpu_instance = instance_argument(command, 2),
                            .compute_instance = instance_argument(command, 3)};
  sim_lock(command->state);
  sim_event_post(command->state, event);
  sim_unlock(command->state);
}

void sim_ecc(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  const char *kind = sim_argument(command, 1);
  bool twice = strcmp(kind, "double") == 0;
  if (!twice && strcmp(kind, "single") != 0) sim_fail("ecc: single or double, not %s", kind);
  sim_lock(command->state);
  struct sim_readings *readings = &sim_gpu_edit(command->state, index)->readings;
  ++*(twice ? &readings->ecc_double_volatile : &readings->ecc_single_volatile);
  ++*(twice ? &readings->ecc_double_total : &readings->ecc_single_total);
  sim_gpu_commit(command->state, index);
  sim_event_post(command->state,
                 (struct sim_event){index, SIM_NO_INSTANCE, SIM_NO_INSTANCE,
                                    twice ? nvmlEventTypeDoubleBitEccError : nvmlEventTypeSingleBitEccError, 0});
  sim_unlock(command->state);
}

void sim_condition(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  const char *name = command->name;
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  if (strcmp(name, "lost") == 0 || strcmp(name, "restore") == 0) gpu->lost = strcmp(name, "lost") == 0;
  if (strcmp(name, "hang") == 0 || strcmp(name, "release") == 0) gpu->hung = strcmp(name, "hang") == 0;
  sim_gpu_commit(command->state, index);
  sim_signal(command->state);
  sim_unlock(command->state);
}

void sim_busy(const struct command *command) {
  uint64_t milliseconds = sim_number(sim_argument(command, 0), 3600000);
  atomic_store(&command->state->held_until_ns, sim_now_ns() + 1000000u * milliseconds);
  sim_signal(command->state);
}

void sim_first_open(const struct command *command) {
  uint32_t milliseconds = (uint32_t)sim_number(sim_argument(command, 0), 60000);
  sim_lock(command->state);
  command->state->first_open_ms = milliseconds;
  for (unsigned i = 0; i < command->state->gpu_count; i++) {
    sim_gpu_edit(command->state, i)->readings.persistence_mode = milliseconds == 0;
    sim_gpu_commit(command->state, i);
  }
  sim_unlock(command->state);
}

void sim_footprint(const struct command *command) {
  command->state->footprint_mib = (uint32_t)sim_number(sim_argument(command, 0), 1024);
}

void sim_fail_call(const struct command *command) {
  struct sim_fault fault = {.code = SIM_FAULT_HANG, .left = 1};
  const char *call = sim_argument(command, 0), *answer = sim_argument(command, 1);
  if (strlen(call) >= sizeof fault.call) sim_fail("fail: %s is too long", call);
  memcpy(fault.call, call, strlen(call) + 1);
  if (strcmp(answer, "hang") == 0 && strcmp(call, "nvmlEventSetWait") == 0) sim_fail("fail: %s names no GPU to hang", call);
  if (strcmp(answer, "hang") != 0) fault.code = (uint32_t)sim_number(answer, 999);
  if (command->count > 2) fault.left = (uint32_t)sim_number(command->arguments[2], UINT32_MAX);
  if (command->count > 3) fault.skip = (uint32_t)sim_number(command->arguments[3], UINT32_MAX);
  sim_lock(command->state);
  command->state->fault = fault;
  sim_signal(command->state);  // a wait for events that is on its way fails, too
  sim_unlock(command->state);
}

// The driver's file /proc/driver/nvidia-caps/mig-minors: it lists what could be, not what is, of as many GPUs as a driver
// takes (kernel-open/nvidia/nv-caps.c of open-gpu-kernel-modules).
void sim_minors(FILE *output) {
  enum { FIRST = 3, GPUS = 32, GPU_INSTANCES = 15, COMPUTE_INSTANCES = 8 };
  unsigned minor = FIRST;
  fprintf(output, "config 1\nmonitor 2\n");
  for (unsigned gpu = 0; gpu < GPUS; gpu++) {
    for (unsigned i = 0; i < GPU_INSTANCES; i++) {
      fprintf(output, "gpu%u/gi%u/access %u\n", gpu, i, minor++);
      for (unsigned c = 0; c < COMPUTE_INSTANCES; c++)
        fprintf(output, "gpu%u/gi%u/ci%u/access %u\n", gpu, i, c, minor++);
    }
  }
}

// Every process with an open NVML holds a shared lock on the first byte of the state file.
static bool is_in_use(const struct command *command) {
  int file = open(command->path, O_RDWR | O_CLOEXEC);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  bool used = file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  if (file >= 0) close(file);
  return used;
}

static bool has_flag(const struct command *command, const char *flag) {
  for (int i = 0; i < command->count; i++)
    if (strcmp(command->arguments[i], flag) == 0) return true;
  return false;
}

static bool has_processes(const struct sim_gpu *gpu) {
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++)
    if (sim_process_lives(&gpu->processes[i])) return true;
  return false;
}

void sim_reset(const struct command *command) {
  bool all = strcmp(sim_argument(command, 0), "all") == 0;
  unsigned first = all ? 0 : sim_gpu_argument(command, 0), last = all ? command->state->gpu_count - 1 : first;
  bool force = has_flag(command, "--force");
  if (!force && is_in_use(command)) sim_fail("reset: in use by another client (NVML is open)");
  sim_lock(command->state);
  if (sim_fault_take(command->state, "reset") != 0) {
    sim_unlock(command->state);
    sim_fail("reset: the GPU did not come back");
  }
  bool busy = false;
  for (unsigned i = first; i <= last; i++) busy |= has_processes(sim_gpu(command->state, i));
  for (unsigned i = first; (force || !busy) && i <= last; i++) {
    sim_gpu_reset(command->board, sim_gpu_edit(command->state, i));
    sim_gpu_commit(command->state, i);
  }
  sim_signal(command->state);
  sim_unlock(command->state);
  if (busy && !force) sim_fail("reset: in use by another client (a process runs on the GPU)");
}

void sim_unload(const struct command *command) {
  if (has_flag(command, "--if-idle") && is_in_use(command)) sim_fail("unload: the driver is in use");
  sim_lock(command->state);
  atomic_store(&command->state->loaded, 0);
  sim_signal(command->state);
  sim_unlock(command->state);
}

// Another version is another driver for the same boards.
void sim_load(const struct command *command) {
  struct sim_state *state = command->state;
  int cuda = command->count > 1 ? sim_cuda(command->arguments[1]) : state->cuda;
  sim_lock(state);
  if (!atomic_load(&state->loaded)) {
    if (command->count > 0) snprintf(state->driver, sizeof state->driver, "%s", command->arguments[0]);
    state->cuda = cuda;
    state->generation++;
    state->loaded_at_ns = sim_now_ns();
    atomic_store(&state->loaded, 1);
    sim_signal(state);
  }
  sim_unlock(state);
}

// Who has NVML open goes on, as with a library that is replaced while it is mapped.
void sim_mismatch(const struct command *command) {
  atomic_store(&command->state->mismatched, strcmp(command->name, "mismatch") == 0);
}

void sim_set(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  const char *key = sim_argument(command, 1), *value = sim_argument(command, 2);
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  uint64_t *reading = sim_reading(gpu, key);
  if (strcmp(key, "name") == 0)
    snprintf(gpu->name, sizeof gpu->name, "%s", value);
  else if (strcmp(key, "uuid") == 0)
    snprintf(gpu->uuid, sizeof gpu->uuid, "%s", value);
  else if (strcmp(key, "minor") == 0)
    gpu->minor = (uint32_t)sim_number(value, 255);
  else if (strcmp(key, "numa") == 0)
    gpu->numa = (uint8_t)sim_number(value, 255);
  else if (reading != NULL)
    *reading = sim_number(value, UINT64_MAX);
  else
    sim_fail("set: unknown key %s", key);
  sim_gpu_commit(command->state, index);
  sim_unlock(command->state);
}

void sim_get(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  sim_lock(command->state);
  struct sim_gpu gpu = *sim_gpu(command->state, index);
  sim_unlock(command->state);
  const char *wanted = command->count > 1 ? command->arguments[1] : NULL;
  bool found = wanted == NULL;
#define X(name)                                                       \
  if (wanted == NULL || strcmp(wanted, #name) == 0) {                 \
    found = true;                                                     \
    printf("%s %llu\n", #name, (unsigned long long)gpu.readings.name); \
  }
  SIM_READINGS(X)
#undef X
  if (!found) sim_fail("get: unknown key %s", wanted);
}

static uint32_t memory_argument(const struct command *command, int position) {
  const char *text = sim_argument(command, position);
  return strcmp(text, "unknown") == 0 ? SIM_MEMORY_UNKNOWN : (uint32_t)sim_number(text, SIM_MEMORY_UNKNOWN - 1);
}

static void note_end(struct sim_gpu *gpu, const struct sim_process *process) {
  if (process->sm_percent + process->memory_percent == 0) return;
  gpu->ended[gpu->ended_count++ % SIM_ENDED_PROCESSES] = (struct sim_process_sample){
      process->pid, process->sm_percent, process->memory_percent, sim_wall_us()};
}

void sim_process(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  uint32_t pid = (uint32_t)sim_number(sim_argument(command, 1), UINT32_MAX);
  uint32_t memory_mib = memory_argument(command, 2);
  enum sim_process_sort sort =
      has_flag(command, "--graphics") ? SIM_GRAPHICS : has_flag(command, "--mps") ? SIM_MPS : SIM_COMPUTE;
  struct sim_process wanted = {.pid = pid, .memory_mib = memory_mib, .sort = (uint8_t)sort,
                               .gpu_instance = instance_argument(command, 3),
                               .compute_instance = instance_argument(command, 4)};
  if (pid == 0) sim_fail("process: no pid");
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  struct sim_process *entry = NULL;
  for (unsigned i = SIM_MAX_PROCESSES; i-- > 0;)
    if (!sim_process_lives(&gpu->processes[i])) entry = &gpu->processes[i];
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++)
    if (gpu->processes[i].pid == pid) entry = &gpu->processes[i];
  if (entry == NULL) sim_fail("process: no more than %d a GPU", SIM_MAX_PROCESSES);
  if (memory_mib == 0) note_end(gpu, entry);
  *entry = memory_mib == 0 ? (struct sim_process){0} : wanted;
  sim_gpu_commit(command->state, index);
  sim_unlock(command->state);
}

void sim_use(const struct command *command) {
  unsigned index = sim_gpu_argument(command, 0);
  uint32_t pid = (uint32_t)sim_number(sim_argument(command, 1), UINT32_MAX);
  uint8_t sm = (uint8_t)sim_number(sim_argument(command, 2), 100);
  uint8_t memory = (uint8_t)sim_number(sim_argument(command, 3), 100);
  bool found = false, is_client = false;
  sim_lock(command->state);
  struct sim_gpu *gpu = sim_gpu_edit(command->state, index);
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    if (gpu->processes[i].pid != pid) continue;
    found = true;
    is_client = gpu->processes[i].sort == SIM_MPS;
    if (is_client) continue;
    gpu->processes[i].sm_percent = sm;
    gpu->processes[i].memory_percent = memory;
  }
  sim_gpu_commit(command->state, index);
  sim_unlock(command->state);
  if (is_client) sim_fail("use: %u is a client of MPS, and the driver samples its server only", pid);
  if (!found) sim_fail("use: no process %u on GPU %u", pid, index);
}
