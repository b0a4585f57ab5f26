// What wears out: ECC counts, retired pages, remapped rows, NVLink errors.
#include "readings.h"

NVML_API nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current,
                                           nvmlEnableState_t *pending) {
  struct sim_view view;
  if (current == NULL || pending == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *current = *pending = (nvmlEnableState_t)view.gpu.readings.ecc_enabled;
  return result;
}

static uint64_t ecc_count(const struct sim_readings *readings, nvmlMemoryErrorType_t type,
                          nvmlEccCounterType_t counter) {
  if (counter == NVML_VOLATILE_ECC)
    return type == NVML_MEMORY_ERROR_TYPE_CORRECTED ? readings->ecc_single_volatile : readings->ecc_double_volatile;
  return type == NVML_MEMORY_ERROR_TYPE_CORRECTED ? readings->ecc_single_total : readings->ecc_double_total;
}

static nvmlReturn_t ecc_errors(nvmlDevice_t device, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter,
                               unsigned long long *count) {
  struct sim_view view;
  if (count == NULL || (unsigned)type > NVML_MEMORY_ERROR_TYPE_UNCORRECTED || (unsigned)counter > NVML_AGGREGATE_ECC)
    return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.gpu.readings.ecc_enabled == 0) return NVML_ERROR_NOT_SUPPORTED;
  *count = ecc_count(&view.gpu.readings, type, counter);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                                  nvmlEccCounterType_t counter, unsigned long long *count) {
  return ecc_errors(device, type, counter, count);
}

// All simulated errors happen in device memory. From Turing on, boards count errors of DRAM and of SRAM ("Turing+" in
// nvmlMemoryLocation_t of nvml.h), and have none of the older locations (nvidia-smi -q -d ECC of a Tesla T4).
NVML_API nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                                      nvmlEccCounterType_t counter, unsigned location,
                                                      unsigned long long *count) {
  enum { DRAM = 2, SRAM = 7, LOCATIONS = 8 };
  if (location >= LOCATIONS) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = ecc_errors(device, type, counter, count);
  if (result != NVML_SUCCESS) return result;
  if (location != DRAM && location != SRAM) return NVML_ERROR_NOT_SUPPORTED;
  if (location == SRAM) *count = 0;
  return NVML_SUCCESS;
}

static nvmlReturn_t look_at_pages(nvmlDevice_t device, bool remapped, struct sim_view *view) {
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, view);
  return result == NVML_SUCCESS && view->board->row_remapping != remapped ? NVML_ERROR_NOT_SUPPORTED : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, unsigned cause, unsigned *count,
                                                unsigned long long *addresses) {
  struct sim_view view;
  if (count == NULL || cause > 1) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_pages(device, false, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_readings *readings = &view.gpu.readings;
  unsigned room = *count;
  *count = (unsigned)(cause == 0 ? readings->retired_single_pages : readings->retired_double_pages);
  if (*count > room) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (unsigned i = 0; addresses != NULL && i < *count; i++) addresses[i] = 0x10000ull * (i + 1);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device, nvmlEnableState_t *pending) {
  struct sim_view view;
  if (pending == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_pages(device, false, &view);
  if (result == NVML_SUCCESS) *pending = (nvmlEnableState_t)view.gpu.readings.retirement_pending;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned *correctable, unsigned *uncorrectable,
                                                unsigned *pending, unsigned *failed) {
  struct sim_view view;
  if (correctable == NULL || uncorrectable == NULL || pending == NULL || failed == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_pages(device, true, &view);
  if (result != NVML_SUCCESS) return result;
  *correctable = (unsigned)view.gpu.readings.remapped_correctable_rows;
  *uncorrectable = (unsigned)view.gpu.readings.remapped_uncorrectable_rows;
  *pending = (unsigned)view.gpu.readings.remap_pending;
  *failed = (unsigned)view.gpu.readings.remap_failed;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t device,
                                                        nvmlRowRemapperHistogramValues_t *banks) {
  struct sim_view view;
  if (banks == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = look_at_pages(device, true, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_readings *readings = &view.gpu.readings;
  uint64_t worn = readings->remapped_correctable_rows + readings->remapped_uncorrectable_rows;
  // A report of a real H100 has 2560. The 640 of older boards are those of an A100.
  unsigned count = view.board->compute_major < 9 ? 640 : 2560, touched = worn < count ? (unsigned)worn : count;
  *banks = (nvmlRowRemapperHistogramValues_t){.max = count - touched, .high = touched};
  return NVML_SUCCESS;
}

// nvml.h: Ampere and newer. All simulated errors happen in DRAM, so only the mark that there were too many can be set.
NVML_API nvmlReturn_t nvmlDeviceGetSramEccErrorStatus(nvmlDevice_t device, nvmlEccSramErrorStatus_v1_t *status) {
  struct sim_view view;
  if (status == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (status->version != nvmlEccSramErrorStatus_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->compute_major < 8 || view.gpu.readings.ecc_enabled == 0) return NVML_ERROR_NOT_SUPPORTED;
  *status = (nvmlEccSramErrorStatus_v1_t){
      .version = status->version, .bThresholdExceeded = (unsigned)view.gpu.readings.sram_threshold_exceeded};
  return NVML_SUCCESS;
}

// nvml.h: Hopper and newer.
NVML_API nvmlReturn_t nvmlDeviceGetUnrepairableMemoryFlag_v1(nvmlDevice_t device,
                                                             nvmlUnrepairableMemoryStatus_v1_t *status) {
  struct sim_view view;
  if (status == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->compute_major < 9) return NVML_ERROR_NOT_SUPPORTED;
  status->bUnrepairableMemory = (unsigned)view.gpu.readings.memory_unrepairable;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned link,
                                                      nvmlNvLinkErrorCounter_t counter, unsigned long long *count) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.nvlinks == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (link >= view.nvlinks) return NVML_ERROR_INVALID_ARGUMENT;
  const struct sim_readings *readings = &view.gpu.readings;
  *count = 0;
  if (link != readings->nvlink_error_link) return NVML_SUCCESS;  // all simulated errors happen on one link
  switch (counter) {
    case NVML_NVLINK_ERROR_DL_REPLAY: *count = readings->nvlink_replay_errors; return NVML_SUCCESS;
    case NVML_NVLINK_ERROR_DL_RECOVERY: *count = readings->nvlink_recovery_errors; return NVML_SUCCESS;
    case NVML_NVLINK_ERROR_DL_CRC_FLIT: *count = readings->nvlink_crc_flit_errors; return NVML_SUCCESS;
    case NVML_NVLINK_ERROR_DL_CRC_DATA: *count = readings->nvlink_crc_data_errors; return NVML_SUCCESS;
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}

static bool is_port_counter(unsigned id) {
  return id == 1 || id == 2 || (id >= 101 && id <= 111) || id == 201 || (id >= 301 && id <= 307) ||
         id == NVML_PRM_COUNTER_ID_PPRM_OPER_RECOVERY;
}

static void read_port(const struct sim_view *view, nvmlPRMCounter_v1_t *counter) {
  unsigned port = counter->inData.localPort;
  counter->counterValue.status = NVML_ERROR_INVALID_ARGUMENT;
  if (!is_port_counter(counter->counterId) || port == 0 || port > view->nvlinks) return;
  bool has_events = port - 1 == view->gpu.readings.nvlink_error_link && view->gpu.readings.nvlink_port_events > 0;
  counter->counterValue.status = NVML_SUCCESS;
  counter->counterValue.outputType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  // Each counter another number, so that they can be distinguished.
  counter->counterValue.outputValue.ullVal =
      has_events ? view->gpu.readings.nvlink_port_events + counter->counterId : 0;
}

// nvml.h: Blackwell and newer. Ports count from 1, as in NVIDIA's DCGM ("PRM local_port + 1").
NVML_API nvmlReturn_t nvmlDeviceReadPRMCounters_v1(nvmlDevice_t device, nvmlPRMCounterList_v1_t *list) {
  struct sim_view view;
  if (list == NULL || (list->numCounters > 0 && list->counters == NULL)) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->compute_major < 10 || view.nvlinks == 0) return NVML_ERROR_NOT_SUPPORTED;
  for (unsigned i = 0; i < list->numCounters; i++) read_port(&view, &list->counters[i]);
  return NVML_SUCCESS;
}
