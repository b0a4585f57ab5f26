// How GPUs are connected: PCIe, NVLink, fabric.
#include <stdio.h>
#include <string.h>

#include "library.h"

NVML_API nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t one, nvmlDevice_t other,
                                                          nvmlGpuTopologyLevel_t *level) {
  struct sim_view a, b;
  if (level == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(one, SIM_DEVICE, &a);
  if (result == NVML_SUCCESS) result = sim_look(other, SIM_DEVICE, &b);
  if (result != NVML_SUCCESS) return result;
  if (a.index == b.index)
    *level = NVML_TOPOLOGY_INTERNAL;
  else if (a.gpu.numa != b.gpu.numa || a.index / 8 != b.index / 8)
    *level = NVML_TOPOLOGY_SYSTEM;
  else if (a.index / 2 == b.index / 2)
    *level = (nvmlGpuTopologyLevel_t)a.board->neighbour_level;
  else
    *level = NVML_TOPOLOGY_NODE;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned *node) {
  struct sim_view view;
  if (node == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  // Only boards whose memory is part of the host's address space are a NUMA node of their own.
  if (view.board->addressing_mode == 0) return NVML_ERROR_NOT_SUPPORTED;
  *node = view.gpu.numa;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetAddressingMode(nvmlDevice_t device, nvmlDeviceAddressingMode_t *mode) {
  struct sim_view view;
  if (mode == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (mode->version != nvmlDeviceAddressingMode_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = sim_fault(device, __func__);
  if (result == NVML_SUCCESS) result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  // Drivers up to 575.57.08 have no such function: programs that link to it do not start there, and do with R580.
  if (sim_branch(&view) < 580) return NVML_ERROR_FUNCTION_NOT_FOUND;
  mode->value = view.board->addressing_mode;
  return NVML_SUCCESS;
}

static nvmlReturn_t look_at_link(nvmlDevice_t device, unsigned link, struct sim_view *view) {
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, view);
  if (result != NVML_SUCCESS) return result;
  if (view->nvlinks == 0) return NVML_ERROR_NOT_SUPPORTED;
  return link < view->nvlinks ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

NVML_API nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, nvmlEnableState_t *active) {
  struct sim_view view;
  if (active == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_link(device, link, &view);
  // Down links, and MIG mode, which switches all of them off.
  if (result == NVML_SUCCESS)
    *active = view.gpu.mig_mode || (view.gpu.readings.nvlinks_down >> link & 1) ? NVML_FEATURE_DISABLED
                                                                                : NVML_FEATURE_ENABLED;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned link, unsigned *version) {
  struct sim_view view;
  if (version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_link(device, link, &view);
  if (result == NVML_SUCCESS) *version = view.board->nvlink_version;
  return result;
}

static unsigned switch_of(const struct sim_board *board, unsigned link) {
  unsigned first = 0;
  for (unsigned i = 0; i < board->switch_count; i++) {
    first += board->links_per_switch[i];
    if (link < first) return i;
  }
  return 0;
}

NVML_API nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci) {
  struct sim_view view;
  if (pci == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_link(device, link, &view);
  if (result != NVML_SUCCESS) return result;
  *pci = (nvmlPciInfo_t){.bus = view.board->switch_bus[switch_of(view.board, link)],
                         .pciDeviceId = view.board->switch_device};
  snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", pci->bus & 0xFF);
  snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", pci->bus & 0xFF);
  return NVML_SUCCESS;
}
NVML_API nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci) {
  return nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, pci);
}

NVML_API nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned link,
                                                          nvmlIntNvLinkDeviceType_t *type) {
  struct sim_view view;
  if (type == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_link(device, link, &view);
  if (result == NVML_SUCCESS) *type = NVML_NVLINK_DEVICE_TYPE_SWITCH;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t one, nvmlDevice_t other, nvmlGpuP2PCapsIndex_t capability,
                                             nvmlGpuP2PStatus_t *status) {
  struct sim_view a, b;
  if (status == NULL || (unsigned)capability > NVML_P2P_CAPS_INDEX_UNKNOWN) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(one, SIM_DEVICE, &a);
  if (result == NVML_SUCCESS) result = sim_look(other, SIM_DEVICE, &b);
  if (result != NVML_SUCCESS) return result;
  bool linked = a.nvlinks > 0 && b.nvlinks > 0 && !a.gpu.mig_mode && !b.gpu.mig_mode;
  *status = capability != NVML_P2P_CAPS_INDEX_NVLINK || linked ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->nvlinks < 18) return NVML_ERROR_NOT_SUPPORTED;
  const struct sim_readings *readings = &view.gpu.readings;
  memset(info, 0, sizeof *info);
  // NOT_SUPPORTED is a state, not an error: a report of a real H100 whose links are off.
  if (view.nvlinks == 0) return NVML_SUCCESS;
  info->state = (unsigned char)readings->fabric_state;
  info->status = (nvmlReturn_t)readings->fabric_status;
  info->cliqueId = (unsigned)readings->fabric_clique;
  if (view.board->fabric && info->state == NVML_GPU_FABRIC_STATE_COMPLETED)
    memcpy(info->clusterUuid, view.state->cluster_uuid, sizeof info->clusterUuid);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, void *versioned) {
  nvmlGpuFabricInfo_t plain;
  nvmlGpuFabricInfo_v3_t *info = versioned;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (info->version != nvmlGpuFabricInfo_v2 && info->version != nvmlGpuFabricInfo_v3)
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = nvmlDeviceGetGpuFabricInfo(device, &plain);
  if (result != NVML_SUCCESS) return result;
  memcpy(info->clusterUuid, plain.clusterUuid, sizeof info->clusterUuid);
  info->status = plain.status;
  info->cliqueId = plain.cliqueId;
  info->state = plain.state;
  bool has_fabric = info->state != NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
  // The real H100 whose links are off leaves the health of the third version as it was.
  if (!has_fabric && info->version == nvmlGpuFabricInfo_v3) return NVML_SUCCESS;
  info->healthMask = has_fabric ? 0xAA : 0;  // two bits for each of four checks, each "supported and false"
  if (info->version == nvmlGpuFabricInfo_v3) info->healthSummary = 1;
  return NVML_SUCCESS;
}
