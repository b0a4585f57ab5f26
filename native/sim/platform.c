// Where a GPU is: the processors and memory beside it, its place in the rack, and confidential computing.
#include <string.h>

#include "readings.h"

enum { BITS = 64, CORES_OF_A_NODE = 72 };

// As on a machine whose NUMA nodes have 72 cores each, numbered one node after the other.
NVML_API nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned size, unsigned long *set) {
  struct sim_view view;
  if (set == NULL || size == 0) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  memset(set, 0, size * sizeof *set);
  unsigned first = CORES_OF_A_NODE * view.gpu.numa;
  for (unsigned core = first; core < first + CORES_OF_A_NODE; core++)
    if (core / BITS < size) set[core / BITS] |= 1ul << (core % BITS);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned size, unsigned long *set,
                                                  unsigned scope) {
  struct sim_view view;
  if (set == NULL || size == 0 || scope > NVML_AFFINITY_SCOPE_SOCKET) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  memset(set, 0, size * sizeof *set);
  set[0] = 1ul << (view.gpu.numa % BITS);
  return NVML_SUCCESS;
}

// nvml.h: Blackwell and newer. A report of a real H100 with driver 580.159.04 has it for Hopper, with a module number
// alone: nvidia-smi shows "N/A" for the rest. Assumption: those bytes are zero. Older drivers are unknown: as in nvml.h.
static bool has_only_a_module(const struct sim_view *view) {
  return view->board->compute_major == 9 && sim_branch(view) >= 580;
}

// The numbers are those of no real rack; 255 stands for no tray.
NVML_API nvmlReturn_t nvmlDeviceGetPlatformInfo(nvmlDevice_t device, nvmlPlatformInfo_v2_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (info->version != nvmlPlatformInfo_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  unsigned char module = (unsigned char)(view.index + 1);
  if (has_only_a_module(&view)) {
    *info = (nvmlPlatformInfo_v2_t){.version = info->version, .moduleId = module};
    return NVML_SUCCESS;
  }
  if (view.board->compute_major < 10) return NVML_ERROR_NOT_SUPPORTED;
  *info = (nvmlPlatformInfo_v2_t){.version = info->version, .ibGuid = {8, 7, 6, 5, 4, 3, 2, 1},
                                  .chassisSerialNumber = "1821725190123", .slotNumber = 11,
                                  .trayIndex = view.board->fabric ? 5 : 255, .hostId = 1, .peerType = 1,
                                  .moduleId = module};
  return NVML_SUCCESS;
}

// nvml.h: Ampere and newer, of the whole system. It is set on the first GPU.
NVML_API nvmlReturn_t nvmlSystemGetConfComputeState(nvmlConfComputeSystemState_t *state) {
  struct sim_state *node;
  const struct sim_board *board;
  if (state == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_node(&node, &board);
  if (result != NVML_SUCCESS) return result;
  if (board->compute_major < 8) return NVML_ERROR_NOT_SUPPORTED;
  sim_lock(node);
  *state = (nvmlConfComputeSystemState_t){.ccFeature = (unsigned)sim_gpu(node, 0)->readings.confidential_computing};
  sim_unlock(node);
  return NVML_SUCCESS;
}
