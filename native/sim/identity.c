// Who is there: versions, enumeration, names, ids, PCI addresses, memory.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "footprint.h"
#include "library.h"
#include "mig_plan.h"

NVML_API const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_NO_PERMISSION: return "Insufficient Permissions";
    case NVML_ERROR_ALREADY_INITIALIZED: return "Already Initialized";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
    case NVML_ERROR_INSUFFICIENT_POWER: return "Insufficient External Power";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT: return "Timeout";
    case NVML_ERROR_IRQ_ISSUE: return "Interrupt Request Issue";
    case NVML_ERROR_LIBRARY_NOT_FOUND: return "NVML Shared Library Not Found";
    case NVML_ERROR_FUNCTION_NOT_FOUND: return "Function Not Found";
    case NVML_ERROR_CORRUPTED_INFOROM: return "Corrupted infoROM";
    case NVML_ERROR_GPU_IS_LOST: return "GPU is lost";
    case NVML_ERROR_RESET_REQUIRED: return "GPU requires reset";
    case NVML_ERROR_OPERATING_SYSTEM: return "GPU access blocked by the operating system";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH: return "Driver/library version mismatch";
    case NVML_ERROR_IN_USE: return "In use by another client";
    case NVML_ERROR_MEMORY: return "Insufficient Memory";
    case NVML_ERROR_NO_DATA: return "No data";
    case NVML_ERROR_INSUFFICIENT_RESOURCES: return "Insufficient Resources";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH: return "Version mismatch between input and expected";
    case NVML_ERROR_UNKNOWN: return "Unknown Error";
  }
  return "Unknown Error";
}

NVML_API nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length) {
  struct sim_state *state;
  const struct sim_board *board;
  nvmlReturn_t result = sim_node(&state, &board);
  return result == NVML_SUCCESS ? sim_copy_text(state->driver, version, length) : result;
}

// NVML's own version is that of CUDA followed by that of the driver.
NVML_API nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length) {
  struct sim_state *state;
  const struct sim_board *board;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result != NVML_SUCCESS) return result;
  char text[96];
  snprintf(text, sizeof text, "%d.%s", state->cuda / 1000, state->driver);
  return sim_copy_text(text, version, length);
}

NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
  struct sim_state *state;
  const struct sim_board *board;
  if (version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result == NVML_SUCCESS) *version = state->cuda;
  return result;
}
NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

NVML_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
  struct sim_state *state;
  const struct sim_board *board;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result == NVML_SUCCESS) *count = state->gpu_count;
  return result;
}
NVML_API nvmlReturn_t nvmlDeviceGetCount(unsigned *count) { return nvmlDeviceGetCount_v2(count); }

// A handle is given out only for a GPU that answers.
static nvmlReturn_t open_device(unsigned index, nvmlDevice_t *device) {
  struct sim_view view;
  nvmlDevice_t handle = sim_handle(SIM_DEVICE, index, 0, 0);
  nvmlReturn_t result = sim_look_cached(handle, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  sim_initialize(view.state, index);
  sim_files_open_gpu(index, view.gpu.minor);
  *device = handle;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
  if (device == NULL || index >= SIM_MAX_GPUS) return NVML_ERROR_INVALID_ARGUMENT;
  return open_device(index, device);
}
NVML_API nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

static nvmlDevice_t find_mig_uuid(struct sim_gpu gpu, unsigned index, const char *uuid) {
  struct sim_gpu_instance *instance;
  struct sim_compute_instance *compute;
  char text[SIM_TEXT];
  for (unsigned i = 0; sim_mig_device(&gpu, i, &instance, &compute); i++) {
    sim_mig_uuid(gpu.uuid, instance->id, compute->id, text);
    if (strcmp(text, uuid) == 0) return sim_handle(SIM_MIG_DEVICE, index, instance->id, compute->id);
  }
  return NULL;
}

NVML_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  struct sim_state *state;
  const struct sim_board *board;
  if (uuid == NULL || device == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result != NVML_SUCCESS) return result;
  nvmlDevice_t found = NULL;
  sim_lock(state);
  for (unsigned i = 0; i < state->gpu_count && found == NULL; i++) {
    const struct sim_gpu *gpu = sim_gpu(state, i);
    found = strcmp(gpu->uuid, uuid) == 0 ? sim_handle(SIM_DEVICE, i, 0, 0) : find_mig_uuid(*gpu, i, uuid);
  }
  sim_unlock(state);
  if (found == NULL) return NVML_ERROR_NOT_FOUND;
  struct sim_view view;
  result = sim_look_cached(found, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  sim_initialize(view.state, view.index);
  sim_files_open_gpu(view.index, view.gpu.minor);
  *device = found;
  return result;
}

// Accepts the address with or without leading zeros of the domain, as the driver does.
NVML_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device) {
  struct sim_state *state;
  const struct sim_board *board;
  unsigned domain = 0, bus, slot;
  if (bus_id == NULL || device == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (sscanf(bus_id, "%x:%x:%x", &domain, &bus, &slot) != 3) {
    domain = 0;
    if (sscanf(bus_id, "%x:%x", &bus, &slot) != 2) return NVML_ERROR_INVALID_ARGUMENT;
  }
  nvmlReturn_t result = sim_node(&state, &board);
  if (result != NVML_SUCCESS) return result;
  unsigned found = SIM_MAX_GPUS;
  sim_lock(state);
  for (unsigned i = 0; i < state->gpu_count; i++)
    if (sim_gpu(state, i)->pci_domain == domain && sim_gpu(state, i)->pci_bus == bus && slot == 0) found = i;
  sim_unlock(state);
  return found == SIM_MAX_GPUS ? NVML_ERROR_NOT_FOUND : open_device(found, device);
}
NVML_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *bus_id, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

NVML_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length) {
  struct sim_view view;
  nvmlReturn_t result = sim_look_cached(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS || view.kind == SIM_DEVICE)
    return result == NVML_SUCCESS ? sim_copy_text(view.gpu.name, name, length) : result;
  char profile[SIM_TEXT], text[2 * SIM_TEXT + 8];
  sim_mig_profile_name(view.profile, view.compute->size, view.gpu.readings.memory_mib, profile);
  snprintf(text, sizeof text, "%s MIG %s", view.gpu.name, profile);
  return sim_copy_text(text, name, length);
}

NVML_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length) {
  struct sim_view view;
  nvmlReturn_t result = sim_look_cached(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  char text[SIM_TEXT];
  if (view.kind == SIM_MIG_DEVICE)
    sim_mig_uuid(view.gpu.uuid, view.instance->id, view.compute->id, text);
  else
    snprintf(text, sizeof text, "%s", view.gpu.uuid);
  return sim_copy_text(text, uuid, length);
}

NVML_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
  struct sim_view view;
  if (index == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look_cached(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.kind == SIM_MIG_DEVICE)
    sim_mig_device_index(&view.gpu, view.instance->id, view.compute->id, index);
  else
    *index = view.index;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor) {
  struct sim_view view;
  if (minor == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look_cached(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *minor = view.gpu.minor;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  struct sim_view view;
  if (pci == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look_cached(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  *pci = (nvmlPciInfo_t){.domain = view.gpu.pci_domain, .bus = view.gpu.pci_bus,
                         .pciDeviceId = view.board->pci_device, .pciSubSystemId = view.board->pci_subsystem};
  snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:00.0", pci->domain & 0xFFFF, pci->bus & 0xFF);
  snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:00.0", pci->domain, pci->bus & 0xFF);
  return NVML_SUCCESS;
}
NVML_API nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}
NVML_API nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}

NVML_API nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  struct sim_view view;
  if (major == NULL || minor == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  *major = view.board->compute_major;
  *minor = view.board->compute_minor;
  return NVML_SUCCESS;
}
