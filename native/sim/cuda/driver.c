// A simulated libcuda over the node of the simulated NVML: which GPUs a process sees, and contexts on them.
#include "driver.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../mig_plan.h"
#include "../state_path.h"

// What the first context of a process that sees one GPU takes of the host, from figures of a user: 438632 KiB of peak
// resident memory with it, 322040 KiB without (pytorch/pytorch issue 113326, one RTX 3090, driver 515.43, lazy loading).
enum { DEVICES_MAX = 64, CONTEXT_MIB = 512, HOST_MIB = 114, GREED_MIB = 8192, FABRIC_COMPLETED = 3 };

struct device {
  unsigned gpu;
  uint16_t gpu_instance, compute_instance;
  char uuid[SIM_TEXT];
  unsigned contexts;
};

static struct {
  struct sim_state *state;
  uint32_t generation;
  struct device devices[DEVICES_MAX];
  int count;
  int current;  // the device whose context is current; -1: none
} cuda = {.current = -1};

bool sim_cuda_fault(const char *name) {
  char path[PATH_MAX], file[PATH_MAX + 16], word[32] = "";
  state_path(path);
  snprintf(file, sizeof file, "%s.cuda-fault", path);
  FILE *input = fopen(file, "re");
  if (input == NULL) return false;
  bool found = fscanf(input, "%31s", word) == 1 && strcmp(word, name) == 0;
  fclose(input);
  return found;
}

static void add_device(unsigned gpu, unsigned gpu_instance, unsigned compute_instance, const char *uuid) {
  if (cuda.count == DEVICES_MAX) return;
  cuda.devices[cuda.count] = (struct device){
      .gpu = gpu, .gpu_instance = (uint16_t)gpu_instance, .compute_instance = (uint16_t)compute_instance};
  snprintf(cuda.devices[cuda.count++].uuid, SIM_TEXT, "%s", uuid);
}

// A whole GPU, or the first MIG device where it is divided: CUDA never shows more of one.
static void add_gpu(unsigned index) {
  struct sim_gpu gpu = *sim_gpu(cuda.state, index);
  struct sim_gpu_instance *instance;
  struct sim_compute_instance *compute;
  char uuid[SIM_TEXT];
  if (gpu.lost) return;
  if (!gpu.mig_mode) {
    add_device(index, SIM_NO_INSTANCE, SIM_NO_INSTANCE, gpu.uuid);
  } else if (sim_mig_device(&gpu, 0, &instance, &compute)) {
    sim_mig_uuid(gpu.uuid, instance->id, compute->id, uuid);
    add_device(index, instance->id, compute->id, uuid);
  }
}

static void add_mig_device(unsigned index, const char *wanted) {
  struct sim_gpu gpu = *sim_gpu(cuda.state, index);
  struct sim_gpu_instance *instance;
  struct sim_compute_instance *compute;
  char uuid[SIM_TEXT];
  for (unsigned i = 0; !gpu.lost && gpu.mig_mode && sim_mig_device(&gpu, i, &instance, &compute); i++) {
    sim_mig_uuid(gpu.uuid, instance->id, compute->id, uuid);
    if (strcmp(uuid, wanted) == 0) add_device(index, instance->id, compute->id, uuid);
  }
}

static void add_named(const char *name) {
  for (unsigned i = 0; i < cuda.state->gpu_count; i++) {
    char index[16];
    snprintf(index, sizeof index, "%u", i);
    if (strcmp(name, index) == 0 || strcmp(name, sim_gpu(cuda.state, i)->uuid) == 0) add_gpu(i);
    if (strncmp(name, "MIG-", 4) == 0) add_mig_device(i, name);
  }
}

// A name that fits nothing hides itself and all that follow it.
static void find_devices(void) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  cuda.count = 0;
  if (visible == NULL) {
    for (unsigned i = 0; i < cuda.state->gpu_count; i++) add_gpu(i);
    return;
  }
  char names[4096];
  snprintf(names, sizeof names, "%s", visible);
  char *rest = names, *name;
  for (int before = -1; cuda.count > before && (name = strsep(&rest, ",")) != NULL;) {
    before = cuda.count;
    add_named(name);
  }
}

// Only of the GPUs that the process sees: each registers with the fabric on its own (Fabric Manager User Guide).
static bool fabric_is_ready(void) {
  const struct sim_board *board = sim_board_by_key(cuda.state->board_key);
  bool ready = true;
  for (unsigned i = 0; board != NULL && (board->fabric || board->switch_count > 0) && i < (unsigned)cuda.count; i++) {
    uint64_t state = sim_gpu(cuda.state, cuda.devices[i].gpu)->readings.fabric_state;
    ready &= state == 0 || state == FABRIC_COMPLETED;
  }
  return ready;
}

// The lock on the first byte of the state keeps the driver from being unloaded; it ends with the process.
static void hold_driver(int descriptor) {
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

CUresult cuInit(unsigned int flags) {
  char path[PATH_MAX];
  int descriptor = -1;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (cuda.state != NULL) return CUDA_SUCCESS;
  if (sim_cuda_fault("crash")) abort();
  state_path(path);
  struct sim_state *state = sim_state_open(path, &descriptor);
  if (state == NULL || !atomic_load(&state->loaded)) return CUDA_ERROR_NO_DEVICE;
  hold_driver(descriptor);
  cuda.state = state;
  sim_lock(state);
  cuda.generation = state->generation;
  find_devices();
  bool ready = fabric_is_ready();
  sim_unlock(state);
  CUresult result = !ready ? CUDA_ERROR_SYSTEM_NOT_READY : cuda.count == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
  if (result != CUDA_SUCCESS) cuda.state = NULL;
  return result;
}

CUresult cuDriverGetVersion(int *version) {
  if (version == NULL) return CUDA_ERROR_INVALID_VALUE;
  *version = cuda.state == NULL ? 0 : cuda.state->cuda;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  if (cuda.state == NULL) return CUDA_ERROR_NOT_INITIALIZED;
  if (count == NULL) return CUDA_ERROR_INVALID_VALUE;
  *count = cuda.count;
  return CUDA_SUCCESS;
}

static CUresult check(CUdevice device, const void *target) {
  if (cuda.state == NULL) return CUDA_ERROR_NOT_INITIALIZED;
  if (target == NULL) return CUDA_ERROR_INVALID_VALUE;
  return device < 0 || device >= cuda.count ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CUresult result = check(ordinal, device);
  if (result == CUDA_SUCCESS) *device = ordinal;
  return result;
}

static int digit(char c) { return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10; }

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  CUresult result = check(device, uuid);
  if (result != CUDA_SUCCESS) return result;
  unsigned digits = 0;
  memset(uuid, 0, sizeof *uuid);
  for (const char *c = cuda.devices[device].uuid + strlen("GPU-"); *c != '\0' && digits < 32; c++) {
    if (!isxdigit((unsigned char)*c)) continue;
    uuid->bytes[digits / 2] = (char)((unsigned char)uuid->bytes[digits / 2] << 4 | digit(*c));
    digits++;
  }
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

// Copies the GPU's state; waits as long as it hangs.
static CUresult look(unsigned index, struct sim_gpu *gpu) {
  for (;;) {
    sim_lock(cuda.state);
    uint32_t seen = atomic_load(&cuda.state->signal);
    bool gone = !atomic_load(&cuda.state->loaded) || cuda.state->generation != cuda.generation;
    *gpu = *sim_gpu(cuda.state, index);
    sim_unlock(cuda.state);
    if (gone) return CUDA_ERROR_UNKNOWN;
    if (!gpu->hung) return gpu->lost ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
    sim_signal_wait(cuda.state, seen, NULL);
  }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  CUresult result = check(device, value);
  if (result != CUDA_SUCCESS) return result;
  if (attribute != CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) return CUDA_ERROR_INVALID_VALUE;
  sim_lock(cuda.state);
  *value = (int)sim_gpu(cuda.state, cuda.devices[device].gpu)->readings.compute_mode;
  sim_unlock(cuda.state);
  return CUDA_SUCCESS;
}

static bool is_used_by_others(const struct sim_gpu *gpu) {
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++)
    if (sim_process_lives(&gpu->processes[i]) && gpu->processes[i].pid != (uint32_t)getpid()) return true;
  return false;
}

// Resident, until the process ends.
static void take_host_memory(size_t mib) {
  size_t size = mib << 20;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) memset(memory, 0x5A, size);
}

static void take_host_memory_once(void) {
  static bool taken;
  if (taken) return;
  taken = true;
  take_host_memory(sim_cuda_fault("host-memory") ? GREED_MIB : HOST_MIB);
}

// NVML lists a process that has a context. One whose start the kernel does not show could not be distinguished from the dead.
static void enter_process(const struct device *device) {
  uint64_t started = sim_process_started((uint32_t)getpid());
  if (started == 0) return;
  sim_lock(cuda.state);
  struct sim_gpu *gpu = sim_gpu_edit(cuda.state, device->gpu);
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    if (sim_process_lives(&gpu->processes[i])) continue;
    gpu->processes[i] = (struct sim_process){.pid = (uint32_t)getpid(), .memory_mib = CONTEXT_MIB, .sort = SIM_COMPUTE,
                                             .gpu_instance = device->gpu_instance,
                                             .compute_instance = device->compute_instance,
                                             .started = started};
    break;
  }
  sim_gpu_commit(cuda.state, device->gpu);
  sim_unlock(cuda.state);
}

static void leave_process(const struct device *device) {
  sim_lock(cuda.state);
  struct sim_gpu *gpu = sim_gpu_edit(cuda.state, device->gpu);
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    struct sim_process *process = &gpu->processes[i];
    if (process->pid == (uint32_t)getpid() && process->gpu_instance == device->gpu_instance &&
        process->compute_instance == device->compute_instance)
      *process = (struct sim_process){0};
  }
  sim_gpu_commit(cuda.state, device->gpu);
  sim_unlock(cuda.state);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  struct sim_gpu gpu;
  CUresult result = check(device, context);
  if (result == CUDA_SUCCESS) result = look(cuda.devices[device].gpu, &gpu);
  if (result != CUDA_SUCCESS) return result;
  const struct sim_readings *readings = &gpu.readings;
  if (readings->compute_mode == CU_COMPUTEMODE_PROHIBITED) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  if (readings->compute_mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS && is_used_by_others(&gpu)) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  if (readings->memory_used_mib + readings->memory_reserved_mib + CONTEXT_MIB > readings->memory_mib)
    return CUDA_ERROR_OUT_OF_MEMORY;
  take_host_memory_once();
  if (cuda.devices[device].contexts++ == 0) enter_process(&cuda.devices[device]);
  *context = (CUcontext)(void *)&cuda.devices[device];
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CUresult result = check(device, &cuda);
  if (result != CUDA_SUCCESS) return result;
  if (cuda.devices[device].contexts == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--cuda.devices[device].contexts > 0) return CUDA_SUCCESS;
  leave_process(&cuda.devices[device]);
  if (cuda.current == device) cuda.current = -1;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (cuda.state == NULL) return CUDA_ERROR_NOT_INITIALIZED;
  cuda.current = -1;
  for (int i = 0; i < cuda.count; i++)
    if ((void *)context == &cuda.devices[i] && cuda.devices[i].contexts > 0) cuda.current = i;
  return context != NULL && cuda.current < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult sim_cuda_context(void) {
  struct sim_gpu gpu;
  if (cuda.state == NULL) return CUDA_ERROR_NOT_INITIALIZED;
  if (cuda.current < 0) return CUDA_ERROR_INVALID_CONTEXT;
  return look(cuda.devices[cuda.current].gpu, &gpu);
}

CUresult cuCtxSynchronize(void) { return sim_cuda_context(); }
