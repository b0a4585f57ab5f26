// GPU performance monitoring: two samples, and what happened between them. Boards from Hopper on.
#include <stdlib.h>

#include "readings.h"

struct nvmlGpmSample_st {
  bool taken;
  unsigned gpu;
  unsigned nvlinks;
  uint64_t time_ns;
  struct sim_readings readings;
};

NVML_API nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *support) {
  struct sim_view view;
  if (support == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (support->version != NVML_GPM_SUPPORT_VERSION) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) support->isSupportedDevice = view.board->gpm;
  return result;
}

NVML_API nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *sample) {
  if (sample == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  *sample = calloc(1, sizeof **sample);
  return *sample == NULL ? NVML_ERROR_MEMORY : NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t sample) {
  if (sample == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  free(sample);
  return NVML_SUCCESS;
}

static nvmlReturn_t take_sample(const struct sim_view *view, nvmlGpmSample_t sample) {
  if (!view->board->gpm) return NVML_ERROR_NOT_SUPPORTED;
  *sample = (struct nvmlGpmSample_st){true, view->index, view->nvlinks, sim_now_ns(), view->gpu.readings};
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t device, nvmlGpmSample_t sample) {
  struct sim_view view;
  if (sample == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  return result == NVML_SUCCESS ? take_sample(&view, sample) : result;
}

// All instances of a GPU show the GPU's own numbers.
NVML_API nvmlReturn_t nvmlGpmMigSampleGet(nvmlDevice_t device, unsigned gpu_instance, nvmlGpmSample_t sample) {
  struct sim_view view;
  if (sample == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (!view.gpu.mig_mode) return NVML_ERROR_NOT_SUPPORTED;
  bool found = false;
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++)
    found |= view.gpu.instances[i].used && view.gpu.instances[i].id == gpu_instance;
  return found ? take_sample(&view, sample) : NVML_ERROR_NOT_FOUND;
}

// Of one link: all links carry the same.
static nvmlReturn_t link_metric(const struct sim_readings *readings, unsigned id, unsigned links, double *value) {
  unsigned link = (id - NVML_GPM_METRIC_NVLINK_L0_RX_PER_SEC) / 2;
  if (link >= links) return NVML_ERROR_NOT_SUPPORTED;
  bool received = (id - NVML_GPM_METRIC_NVLINK_L0_RX_PER_SEC) % 2 == 0;
  *value = (double)(received ? readings->nvlink_rx_kibps : readings->nvlink_tx_kibps) / links / 1024;
  return NVML_SUCCESS;
}

static nvmlReturn_t metric(const struct sim_readings *readings, unsigned id, unsigned links, double *value) {
  if (id >= NVML_GPM_METRIC_NVLINK_L0_RX_PER_SEC && id <= NVML_GPM_METRIC_NVLINK_L17_TX_PER_SEC)
    return link_metric(readings, id, links, value);
  bool is_of_all_links = id == NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC || id == NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC;
  if (is_of_all_links && links == 0) return NVML_ERROR_NOT_SUPPORTED;
  switch (id) {
    case NVML_GPM_METRIC_GRAPHICS_UTIL: *value = (double)readings->gpu_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_SM_UTIL: *value = (double)readings->sm_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_SM_OCCUPANCY: *value = (double)readings->occupancy_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_ANY_TENSOR_UTIL: *value = (double)readings->tensor_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_DRAM_BW_UTIL: *value = (double)readings->dram_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_FP64_UTIL: *value = (double)readings->fp64_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_FP32_UTIL: *value = (double)readings->fp32_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_FP16_UTIL: *value = (double)readings->fp16_percent; return NVML_SUCCESS;
    case NVML_GPM_METRIC_PCIE_TX_PER_SEC: *value = (double)readings->pcie_tx_kbps / 1024; return NVML_SUCCESS;
    case NVML_GPM_METRIC_PCIE_RX_PER_SEC: *value = (double)readings->pcie_rx_kbps / 1024; return NVML_SUCCESS;
    case NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC: *value = (double)readings->nvlink_rx_kibps / 1024; return NVML_SUCCESS;
    case NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC: *value = (double)readings->nvlink_tx_kibps / 1024; return NVML_SUCCESS;
    default: return NVML_ERROR_NOT_SUPPORTED;
  }
}

NVML_API nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *get) {
  struct sim_state *state;
  const struct sim_board *board;
  if (get == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result != NVML_SUCCESS) return result;
  if (get->version != NVML_GPM_METRICS_GET_VERSION) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  const struct nvmlGpmSample_st *first = get->sample1, *second = get->sample2;
  if (first == NULL || second == NULL || !first->taken || !second->taken || first->gpu != second->gpu)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (second->time_ns <= first->time_ns) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlGpmMetric_t *metrics = get->metrics;
  for (unsigned i = 0; i < get->numMetrics; i++)
    metrics[i].nvmlReturn = metric(&second->readings, metrics[i].metricId, second->nvlinks, &metrics[i].value);
  return NVML_SUCCESS;
}
