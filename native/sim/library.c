#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "footprint.h"
#include "mig_plan.h"
#include "state_path.h"

// The process's view of the node. The mapping is never taken away: a thread may still wait in it.
static struct {
  pthread_mutex_t mutex;
  _Atomic unsigned users;
  _Atomic uint32_t generation;
  struct sim_state *_Atomic state;
  struct stat file;
  int descriptor;
} library = {.mutex = PTHREAD_MUTEX_INITIALIZER, .descriptor = -1};

static bool same_file(const struct stat *one, const struct stat *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

// Each user of the node holds a shared lock on its file, so that a reset or an unload can see that it is in use. It
// must be given back by name: the mapping keeps the open file, and with it the lock, alive after its descriptor.
static void mark(int descriptor, short in_use) {
  struct flock lock = {.l_type = in_use, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

static nvmlReturn_t refused(const struct sim_state *state) {
  if (!atomic_load(&state->loaded)) return NVML_ERROR_DRIVER_NOT_LOADED;
  return atomic_load(&state->mismatched) ? NVML_ERROR_LIB_RM_VERSION_MISMATCH : NVML_SUCCESS;
}

static bool is_used_by_others(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  return fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

static nvmlReturn_t attach(void) {
  char path[PATH_MAX];
  state_path(path);
  int descriptor = -1;
  struct sim_state *state = sim_state_open(path, &descriptor);
  if (state == NULL) return errno == EACCES || errno == EROFS ? NVML_ERROR_NO_PERMISSION : NVML_ERROR_DRIVER_NOT_LOADED;
  struct stat facts;
  fstat(descriptor, &facts);
  if (atomic_load(&library.state) == NULL || !same_file(&facts, &library.file)) {
    atomic_store(&library.state, state);
    library.file = facts;
  } else {
    sim_state_close(state);
  }
  nvmlReturn_t refusal = refused(atomic_load(&library.state));
  if (refusal != NVML_SUCCESS) {
    close(descriptor);
    return refusal;
  }
  if (!is_used_by_others(descriptor)) {
    sim_lock(atomic_load(&library.state));
    memset(atomic_load(&library.state)->initialized, 0, sizeof state->initialized);
    sim_unlock(atomic_load(&library.state));
  }
  mark(descriptor, F_RDLCK);
  library.descriptor = descriptor;
  const struct sim_state *attached = atomic_load(&library.state);
  atomic_store(&library.generation, attached->generation);
  sim_footprint_take(attached->footprint_mib, attached->gpu_count);
  sim_files_open();
  return NVML_SUCCESS;
}

static nvmlReturn_t init(void) {
  pthread_mutex_lock(&library.mutex);
  nvmlReturn_t result = atomic_load(&library.users) > 0 ? NVML_SUCCESS : attach();
  if (result == NVML_SUCCESS) atomic_fetch_add(&library.users, 1);
  pthread_mutex_unlock(&library.mutex);
  return result;
}

NVML_API nvmlReturn_t nvmlInit_v2(void) { return init(); }
NVML_API nvmlReturn_t nvmlInit(void) { return init(); }
NVML_API nvmlReturn_t nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  return init();
}

NVML_API nvmlReturn_t nvmlShutdown(void) {
  pthread_mutex_lock(&library.mutex);
  nvmlReturn_t result = atomic_load(&library.users) == 0 ? NVML_ERROR_UNINITIALIZED : NVML_SUCCESS;
  if (result == NVML_SUCCESS && atomic_fetch_sub(&library.users, 1) == 1) {
    mark(library.descriptor, F_UNLCK);
    close(library.descriptor);
    library.descriptor = -1;
    sim_files_close();
  }
  pthread_mutex_unlock(&library.mutex);
  return result;
}

nvmlReturn_t sim_driver_status(const struct sim_state *state) {
  if (atomic_load(&library.users) == 0) return NVML_ERROR_UNINITIALIZED;
  if (!atomic_load(&state->loaded)) return NVML_ERROR_DRIVER_NOT_LOADED;
  return state->generation == atomic_load(&library.generation) ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t sim_node(struct sim_state **state, const struct sim_board **board) {
  *state = atomic_load(&library.state);
  if (*state == NULL || atomic_load(&library.users) == 0) return NVML_ERROR_UNINITIALIZED;
  sim_lock(*state);
  nvmlReturn_t result = sim_driver_status(*state);
  *board = sim_board_by_key((*state)->board_key);
  sim_unlock(*state);
  return result == NVML_SUCCESS && *board == NULL ? NVML_ERROR_UNKNOWN : result;
}

// Handles are numbers that look like pointers: mark, kind, GPU, GPU instance, compute instance.
static const uintptr_t HANDLE_MARK = 0x7E;

void *sim_handle(enum sim_kind kind, unsigned gpu, unsigned gpu_instance, unsigned compute_instance) {
  return (void *)(HANDLE_MARK << 40 | (uintptr_t)kind << 32 | (uintptr_t)gpu << 24 | (uintptr_t)gpu_instance << 16 |
                  (uintptr_t)compute_instance << 8);
}

static bool read_handle(const void *handle, struct sim_view *view, unsigned *gpu_instance, unsigned *compute_instance) {
  uintptr_t value = (uintptr_t)handle;
  view->kind = (enum sim_kind)(value >> 32 & 0xFF);
  view->index = value >> 24 & 0xFF;
  *gpu_instance = value >> 16 & 0xFF;
  *compute_instance = value >> 8 & 0xFF;
  return value >> 40 == HANDLE_MARK && (value & 0xFF) == 0;
}

static nvmlReturn_t find_instances(struct sim_view *view, unsigned gpu_instance, unsigned compute_instance) {
  view->instance = NULL;
  view->compute = NULL;
  if (view->kind == SIM_DEVICE) return NVML_SUCCESS;
  view->instance = sim_instance_by_id(&view->gpu, gpu_instance);
  if (view->instance == NULL) return NVML_ERROR_NOT_FOUND;
  view->profile = sim_mig_profile_by_index(view->board, view->instance->profile);
  if (view->kind == SIM_GPU_INSTANCE) return NVML_SUCCESS;
  view->compute = sim_compute_by_id(view->instance, compute_instance);
  if (view->compute == NULL) return NVML_ERROR_NOT_FOUND;
  view->compute_profile = sim_compute_profile_by_index(view->profile, view->compute->profile);
  return NVML_SUCCESS;
}

// Under the lock. TIMEOUT stands for "the GPU hangs".
static nvmlReturn_t resolve(const void *handle, unsigned kinds, struct sim_view *view) {
  unsigned gpu_instance, compute_instance;
  nvmlReturn_t status = sim_driver_status(view->state);
  if (status != NVML_SUCCESS) return status;
  if (!read_handle(handle, view, &gpu_instance, &compute_instance) || view->index >= view->state->gpu_count)
    return NVML_ERROR_INVALID_ARGUMENT;
  if ((kinds & view->kind) == 0)
    return view->kind == SIM_MIG_DEVICE && (kinds & SIM_DEVICE) != 0 ? NVML_ERROR_NOT_SUPPORTED
                                                                      : NVML_ERROR_INVALID_ARGUMENT;
  view->gpu = *sim_gpu(view->state, view->index);
  view->nvlinks = view->gpu.readings.nvlink_disabled ? 0 : view->board->nvlinks;
  if (view->gpu.hung) return NVML_ERROR_TIMEOUT;
  if (view->gpu.lost) return NVML_ERROR_GPU_IS_LOST;
  return find_instances(view, gpu_instance, compute_instance);
}

unsigned long sim_branch(const struct sim_view *view) {
  sim_lock(view->state);
  unsigned long branch = strtoul(view->state->driver, NULL, 10);
  sim_unlock(view->state);
  return branch;
}

void sim_await_manager(struct sim_state *state) {
  for (;;) {
    uint32_t seen = atomic_load(&state->signal);
    uint64_t now = sim_now_ns(), until = atomic_load(&state->held_until_ns);
    if (until <= now || !atomic_load(&state->loaded)) return;
    struct timespec left = {(time_t)((until - now) / 1000000000u), (long)((until - now) % 1000000000u)};
    sim_signal_wait(state, seen, &left);
  }
}

void sim_initialize(struct sim_state *state, unsigned index) {
  bool is_ours = false;
  while (!is_ours) {
    sim_lock(state);
    bool is_needed = state->first_open_ms > 0 && index < state->gpu_count && !state->initialized[index];
    uint64_t now = sim_now_ns();
    is_ours = is_needed && atomic_load(&state->held_until_ns) <= now;
    if (is_ours) atomic_store(&state->held_until_ns, now + 1000000ull * state->first_open_ms);
    sim_unlock(state);
    if (!is_needed) return;
    sim_await_manager(state);
  }
  sim_lock(state);
  state->initialized[index] = true;
  sim_unlock(state);
}

nvmlReturn_t sim_update(const void *handle, unsigned kinds, sim_change *change, void *argument) {
  struct sim_view view = {0};
  nvmlReturn_t result = sim_node(&view.state, &view.board);
  while (result == NVML_SUCCESS) {
    sim_await_manager(view.state);
    sim_lock(view.state);
    uint32_t seen = atomic_load(&view.state->signal);
    result = resolve(handle, kinds, &view);
    bool hung = result == NVML_ERROR_TIMEOUT;
    if (result == NVML_SUCCESS && change != NULL) result = change(&view, argument);
    if (result == NVML_SUCCESS && change != NULL) {
      *sim_gpu_edit(view.state, view.index) = view.gpu;
      sim_gpu_commit(view.state, view.index);
    }
    sim_unlock(view.state);
    if (!hung) return result;
    sim_signal_wait(view.state, seen, NULL);
    result = NVML_SUCCESS;
  }
  return result;
}

// A driver that gets few processors or whose GPU is slow to answer: each call takes long, and none hangs.
static void take_time(const struct sim_view *view) {
  uint64_t milliseconds = view->gpu.readings.call_ms;
  struct timespec time = {(time_t)(milliseconds / 1000u), (long)(milliseconds % 1000u) * 1000000};
  if (milliseconds > 0) nanosleep(&time, NULL);
}

static nvmlReturn_t look(const void *handle, unsigned kinds, bool is_cached, struct sim_view *view) {
  nvmlReturn_t result = sim_node(&view->state, &view->board);
  while (result == NVML_SUCCESS) {
    if (!is_cached) sim_await_manager(view->state);
    sim_lock(view->state);
    uint32_t seen = atomic_load(&view->state->signal);
    result = resolve(handle, kinds, view);
    sim_unlock(view->state);
    if (result == NVML_SUCCESS && !is_cached) take_time(view);
    if (result != NVML_ERROR_TIMEOUT) return result;
    sim_signal_wait(view->state, seen, NULL);
    result = NVML_SUCCESS;
  }
  return result;
}

nvmlReturn_t sim_look(const void *handle, unsigned kinds, struct sim_view *view) {
  return look(handle, kinds, false, view);
}

// What a MIG device is, is asked for each time: instances come and go.
nvmlReturn_t sim_look_cached(const void *handle, unsigned kinds, struct sim_view *view) {
  struct sim_view named = {0};
  unsigned gpu_instance, compute_instance;
  bool is_gpu = read_handle(handle, &named, &gpu_instance, &compute_instance) && named.kind == SIM_DEVICE;
  return look(handle, kinds, is_gpu, view);
}

nvmlReturn_t sim_fault(const void *handle, const char *call) {
  struct sim_view view = {0};
  unsigned gpu_instance, compute_instance;
  if (sim_node(&view.state, &view.board) != NVML_SUCCESS) return NVML_SUCCESS;
  if (!read_handle(handle, &view, &gpu_instance, &compute_instance) || view.index >= view.state->gpu_count)
    return NVML_SUCCESS;
  sim_lock(view.state);
  uint32_t code = sim_fault_take(view.state, call);
  if (code == SIM_FAULT_HANG) {
    sim_gpu_edit(view.state, view.index)->hung = true;
    sim_gpu_commit(view.state, view.index);
  }
  sim_unlock(view.state);
  return code == SIM_FAULT_HANG ? NVML_SUCCESS : (nvmlReturn_t)code;
}

nvmlReturn_t sim_copy_text(const char *text, char *target, unsigned length) {
  if (target == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (strlen(text) >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
  memcpy(target, text, strlen(text) + 1);
  return NVML_SUCCESS;
}
