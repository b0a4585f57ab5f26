#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "footprint.h"

static const uint64_t MAGIC = 0x3130534d4c564e50;  // "PNVLMS01"

uint64_t sim_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t sim_wall_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

struct sim_state *sim_state_open(const char *path, int *descriptor) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat facts;
  void *mapped = MAP_FAILED;
  if (fstat(file, &facts) == 0 && facts.st_size == (off_t)sizeof(struct sim_state))
    mapped = mmap(NULL, sizeof(struct sim_state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  struct sim_state *state = mapped == MAP_FAILED ? NULL : mapped;
  if (state != NULL && (state->magic != MAGIC || state->size != sizeof(struct sim_state))) {
    munmap(mapped, sizeof(struct sim_state));
    state = NULL;
  }
  if (state == NULL) {
    close(file);
    errno = EINVAL;
    return NULL;
  }
  if (descriptor != NULL)
    *descriptor = file;
  else
    close(file);
  return state;
}

void sim_state_close(struct sim_state *state) { munmap(state, sizeof(struct sim_state)); }

static void init_mutex(pthread_mutex_t *mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void sim_lock(struct sim_state *state) {
  // The holder died. Nothing needs repair: what it had not committed never came into force.
  if (pthread_mutex_lock(&state->mutex) == EOWNERDEAD) pthread_mutex_consistent(&state->mutex);
}

void sim_unlock(struct sim_state *state) { pthread_mutex_unlock(&state->mutex); }

const struct sim_gpu *sim_gpu(const struct sim_state *state, unsigned index) {
  const struct sim_gpu_cell *cell = &state->gpus[index];
  return &cell->copies[atomic_load(&cell->current)];
}

struct sim_gpu *sim_gpu_edit(struct sim_state *state, unsigned index) {
  struct sim_gpu_cell *cell = &state->gpus[index];
  uint32_t current = atomic_load(&cell->current);
  cell->copies[1 - current] = cell->copies[current];
  return &cell->copies[1 - current];
}

void sim_gpu_commit(struct sim_state *state, unsigned index) {
  struct sim_gpu_cell *cell = &state->gpus[index];
  atomic_store(&cell->current, 1 - atomic_load(&cell->current));
}

void sim_signal(struct sim_state *state) {
  atomic_fetch_add(&state->signal, 1);
  syscall(SYS_futex, &state->signal, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void sim_signal_wait(struct sim_state *state, uint32_t seen, const struct timespec *timeout) {
  syscall(SYS_futex, &state->signal, FUTEX_WAIT, seen, timeout, NULL, 0);
}

void sim_event_post(struct sim_state *state, struct sim_event event) {
  state->events[state->event_count % SIM_EVENT_RING] = event;
  state->event_count++;
  sim_signal(state);
}

// proc_pid_stat(5): the name in parentheses may hold blanks; the start is the 20th field after it.
uint64_t sim_process_started(uint32_t pid) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  char *rest = strrchr(text, ')'), *word;
  for (int i = 0; rest != NULL && i < 20; i++) {
    word = strchr(rest + 1, ' ');
    rest = word;
  }
  return rest == NULL ? 0 : strtoull(rest, NULL, 10);
}

bool sim_process_lives(const struct sim_process *process) {
  return process->pid != 0 && (process->started == 0 || process->started == sim_process_started(process->pid));
}

uint64_t *sim_reading(struct sim_gpu *gpu, const char *name) {
#define X(field) \
  if (strcmp(name, #field) == 0) return &gpu->readings.field;
  SIM_READINGS(X)
#undef X
  return NULL;
}

// What a reset of the GPU undoes: volatile error counts, pending work on its memory, instances, a pending MIG mode.
void sim_gpu_reset(const struct sim_board *board, struct sim_gpu *gpu) {
  memset(gpu->instances, 0, sizeof gpu->instances);
  memset(gpu->processes, 0, sizeof gpu->processes);
  gpu->mig_mode = board->mig == NULL ? 0 : (uint8_t)gpu->readings.pending_mig_mode;
  gpu->readings.ecc_single_volatile = gpu->readings.ecc_double_volatile = 0;
  gpu->readings.remap_pending = gpu->readings.retirement_pending = gpu->readings.recovery_action = 0;
  gpu->lost = gpu->hung = false;
}

static void init_readings(const struct sim_board *board, struct sim_readings *readings) {
  *readings = (struct sim_readings){
      .memory_mib = board->memory_mib,
      .memory_reserved_mib = board->reserved_mib,
      .bar1_used_mib = 1,
      .temperature_c = 31,
      .memory_temperature_c = board->memory_max_c == 0 ? 0 : 38,
      .power_mw = board->power_idle_mw,
      .power_limit_mw = board->power_limit_mw,
      .sm_clock_mhz = board->idle_sm_clock,
      .memory_clock_mhz = board->max_memory_clock,
      .video_clock_mhz = board->idle_sm_clock,
      .clock_event_reasons = 1,
      .pcie_link_generation = board->pcie_generation,
      .pcie_link_width = board->pcie_width,
      .fabric_state = board->nvlinks >= 18 ? 3 : 0,
      .fabric_clique = board->fabric ? 1 : 0,
      .ecc_enabled = 1,
      .persistence_mode = 1,
  };
}

static void init_gpu(const struct sim_board *board, struct sim_gpu *gpu, unsigned index) {
  const struct sim_slot *slot = &board->slots[index % 8];
  memset(gpu, 0, sizeof *gpu);
  snprintf(gpu->name, sizeof gpu->name, "%s", board->name);
  snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-12345678-1234-1234-1234-1234567800%02x", index);
  snprintf(gpu->serial, sizeof gpu->serial, "16502229%05u", 10001 + index);
  gpu->pci_domain = slot->domain + 0x100 * (index / 8);
  gpu->pci_bus = slot->bus;
  gpu->numa = slot->numa;
  gpu->minor = index;
  init_readings(board, &gpu->readings);
}

static void init_state(struct sim_state *state, const struct sim_board *board, unsigned gpus) {
  init_mutex(&state->mutex);
  state->size = sizeof *state;
  state->loaded = 1;
  state->generation = 1;
  state->gpu_count = gpus;
  state->loaded_at_ns = sim_now_ns();
  snprintf(state->board_key, sizeof state->board_key, "%s", board->key);
  for (unsigned i = 0; i < sizeof state->cluster_uuid; i++) state->cluster_uuid[i] = (uint8_t)(0x10 + 7 * i);
  state->cluster_uuid[6] = (uint8_t)(0x40 | (state->cluster_uuid[6] & 0x0F));
  state->cluster_uuid[8] = (uint8_t)(0x80 | (state->cluster_uuid[8] & 0x3F));
  for (unsigned i = 0; i < gpus; i++) init_gpu(board, &state->gpus[i].copies[0], i);
  state->magic = MAGIC;
}

bool sim_state_create(const char *path, const struct sim_board *board, unsigned gpus, const char *driver, int cuda) {
  char fresh[PATH_MAX];
  if (snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid()) >= (int)sizeof fresh) return false;
  int file = open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  fchmod(file, 0666);
  void *mapped = MAP_FAILED;
  if (ftruncate(file, sizeof(struct sim_state)) == 0)
    mapped = mmap(NULL, sizeof(struct sim_state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return false;
  struct sim_state *state = mapped;
  snprintf(state->driver, sizeof state->driver, "%s", driver);
  state->cuda = cuda;
  state->footprint_mib = SIM_FOOTPRINT_MIB;
  init_state(state, board, gpus);
  munmap(mapped, sizeof(struct sim_state));
  return rename(fresh, path) == 0;
}

uint32_t sim_fault_take(struct sim_state *state, const char *call) {
  struct sim_fault *fault = &state->fault;
  if (strcmp(fault->call, call) != 0 || fault->left == 0) return 0;
  if (fault->skip > 0) {
    fault->skip--;
    return 0;
  }
  fault->left--;
  return fault->code;
}
