// Memory of a GPU or of a MIG device, and the processes that use it.
#include "library.h"

static const unsigned long long MIB = 1ull << 20;

struct memory {
  unsigned long long total, reserved, used;
};

static unsigned long long used_by_processes(const struct sim_view *view) {
  unsigned long long used = 0;
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    const struct sim_process *process = &view->gpu.processes[i];
    if (!sim_process_lives(process) || process->memory_mib == SIM_MEMORY_UNKNOWN) continue;
    if (view->kind == SIM_DEVICE || process->gpu_instance == view->instance->id) used += process->memory_mib;
  }
  return used;
}

// All compute instances of a GPU instance share its memory.
static struct memory memory_of(const struct sim_view *view) {
  const struct sim_readings *readings = &view->gpu.readings;
  unsigned long long used = used_by_processes(view);
  if (view->kind == SIM_MIG_DEVICE) return (struct memory){view->profile->memory_mib * MIB, 0, (used + 12) * MIB};
  return (struct memory){readings->memory_mib * MIB, readings->memory_reserved_mib * MIB,
                         (used + readings->memory_used_mib) * MIB};
}

// The first form has no field for what the driver reserves and counts it as used.
NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  struct sim_view view;
  if (memory == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  struct memory m = memory_of(&view);
  *memory = (nvmlMemory_t){m.total, m.total - m.reserved - m.used, m.reserved + m.used};
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  struct sim_view view;
  if (memory == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  struct memory m = memory_of(&view);
  *memory = (nvmlMemory_v2_t){memory->version, m.total, m.reserved, m.total - m.reserved - m.used, m.used};
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t *memory) {
  struct sim_view view;
  if (memory == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  unsigned long long used = view.gpu.readings.bar1_used_mib * MIB;
  memory->bar1Total = view.board->bar1_mib * MIB;
  memory->bar1Used = used;
  memory->bar1Free = memory->bar1Total - used;
  return NVML_SUCCESS;
}

static unsigned instance_id(uint16_t stored) { return stored == SIM_NO_INSTANCE ? 0xFFFFFFFFu : stored; }

static bool is_process_of(const struct sim_process *process, const struct sim_view *view) {
  if (!sim_process_lives(process)) return false;
  if (view->kind == SIM_DEVICE) return true;
  return process->gpu_instance == view->instance->id && process->compute_instance == view->compute->id;
}

static unsigned long long memory_of_process(const struct sim_process *process) {
  return process->memory_mib == SIM_MEMORY_UNKNOWN ? (unsigned long long)NVML_VALUE_NOT_AVAILABLE
                                                   : process->memory_mib * MIB;
}

// A client of MPS is in the list of compute processes too: R580 with an H200 lists it in both, and the server in the
// first only.
static bool is_of_sort(const struct sim_process *process, enum sim_process_sort sort) {
  return process->sort == sort || (process->sort == SIM_MPS && sort == SIM_COMPUTE);
}

static nvmlReturn_t running_processes(enum sim_process_sort sort, nvmlDevice_t device, unsigned *count,
                                      nvmlProcessInfo_t *processes) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  unsigned room = *count;
  *count = 0;
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    const struct sim_process *process = &view.gpu.processes[i];
    if (!is_of_sort(process, sort) || !is_process_of(process, &view)) continue;
    if (processes != NULL && *count < room)
      processes[*count] = (nvmlProcessInfo_t){process->pid, memory_of_process(process),
                                              instance_id(process->gpu_instance),
                                              instance_id(process->compute_instance)};
    (*count)++;
  }
  return *count > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                              nvmlProcessInfo_t *processes) {
  return running_processes(SIM_COMPUTE, device, count, processes);
}
NVML_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count,
                                                              nvmlProcessInfo_t *processes) {
  return nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
}

NVML_API nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                               nvmlProcessInfo_t *processes) {
  return running_processes(SIM_GRAPHICS, device, count, processes);
}
NVML_API nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned *count,
                                                               nvmlProcessInfo_t *processes) {
  return nvmlDeviceGetGraphicsRunningProcesses_v3(device, count, processes);
}
NVML_API nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                                 nvmlProcessInfo_t *processes) {
  return running_processes(SIM_MPS, device, count, processes);
}
NVML_API nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count,
                                                                 nvmlProcessInfo_t *processes) {
  return nvmlDeviceGetMPSComputeRunningProcesses_v3(device, count, processes);
}

// The driver's buffer: NVML asks for room for all of it, whatever is in it ("ProcessSamplesCount = 100 … with or without
// load", github.com/NVIDIA/go-nvml/issues/11). Assumption: less room is refused also where the samples would fit.
enum { SAMPLES = 100 };

static void add_sample(nvmlProcessUtilizationSample_t *samples, unsigned *count, struct sim_process_sample sample) {
  samples[(*count)++] = (nvmlProcessUtilizationSample_t){sample.pid, sample.taken_us, sample.sm_percent,
                                                         sample.memory_percent, 0, 0};
}

// nvml.h: one sample for each process that had some utilization since the time stamp, NOT_FOUND where there is none, and
// not supported on GPUs in MIG mode. A process that has just ended still has its last sample. Under MPS only the server
// has samples: R580 with an H200 and two busy clients reports one for the server, with 95 %, and none for the clients.
NVML_API nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
                                                      unsigned *count, unsigned long long last_seen) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_fault(device, __func__);
  if (result == NVML_SUCCESS) result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.gpu.mig_mode) return NVML_ERROR_NOT_SUPPORTED;
  bool is_small = samples == NULL || *count < SAMPLES;
  *count = is_small ? SAMPLES : 0;
  if (is_small) return NVML_ERROR_INSUFFICIENT_SIZE;
  uint64_t now = sim_wall_us();
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    const struct sim_process *process = &view.gpu.processes[i];
    if (sim_process_lives(process) && now > last_seen && process->sm_percent + process->memory_percent > 0)
      add_sample(samples, count, (struct sim_process_sample){process->pid, process->sm_percent,
                                                             process->memory_percent, now});
  }
  for (unsigned i = 0; i < SIM_ENDED_PROCESSES; i++)
    if (view.gpu.ended[i].taken_us > last_seen) add_sample(samples, count, view.gpu.ended[i]);
  return *count == 0 ? NVML_ERROR_NOT_FOUND : NVML_SUCCESS;
}
