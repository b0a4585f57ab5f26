// What tools print about a board: brand, serial number, firmware; and the modes that an administrator sets.
#include <stdio.h>
#include <string.h>

#include "readings.h"

NVML_API nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *brand) {
  struct sim_view view;
  if (brand == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_fault(device, __func__);
  if (result == NVML_SUCCESS) result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result == NVML_SUCCESS) *brand = (nvmlBrandType_t)view.board->brand;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned *architecture) {
  enum { TURING = 6, AMPERE = 7, ADA = 8, HOPPER = 9, BLACKWELL = 10 };
  struct sim_view view;
  if (architecture == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  int capability = 10 * view.board->compute_major + view.board->compute_minor;
  *architecture = capability >= 100 ? BLACKWELL : capability >= 90 ? HOPPER : capability >= 89 ? ADA
                  : capability >= 80 ? AMPERE : TURING;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned length) {
  struct sim_view view;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  return result == NVML_SUCCESS ? sim_copy_text(view.gpu.serial, serial, length) : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned length) {
  struct sim_view view;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  return result == NVML_SUCCESS ? sim_copy_text(view.board->vbios, version, length) : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetInforomImageVersion(nvmlDevice_t device, char *version, unsigned length) {
  struct sim_view view;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  return result == NVML_SUCCESS ? sim_copy_text(view.board->inforom_image, version, length) : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetInforomVersion(nvmlDevice_t device, nvmlInforomObject_t object, char *version,
                                                  unsigned length) {
  struct sim_view view;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  switch (object) {
    case NVML_INFOROM_OEM: return sim_copy_text("2.1", version, length);
    case NVML_INFOROM_ECC: return sim_copy_text(view.board->row_remapping ? "7.16" : "5.0", version, length);
    case NVML_INFOROM_POWER: return NVML_ERROR_NOT_SUPPORTED;
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}

// Any number: it depends on what the maker has written.
NVML_API nvmlReturn_t nvmlDeviceGetInforomConfigurationChecksum(nvmlDevice_t device, unsigned *checksum) {
  struct sim_view view;
  if (checksum == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *checksum = 0x8F000000u + view.index;
  return result;
}

// nvml.h: from Pascal on clocks are boosted another way, and all boards here are newer.
NVML_API nvmlReturn_t nvmlDeviceGetAutoBoostedClocksEnabled(nvmlDevice_t device, nvmlEnableState_t *enabled,
                                                            nvmlEnableState_t *by_default) {
  struct sim_view view;
  if (enabled == NULL || by_default == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  return result == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : result;
}

NVML_API nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, unsigned *mode) {
  struct sim_view view;
  if (mode == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *mode = (unsigned)view.gpu.readings.virtualization_mode;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode) {
  struct sim_view view;
  if (mode == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *mode = (nvmlComputeMode_t)view.gpu.readings.compute_mode;
  return result;
}

static nvmlReturn_t set_compute_mode(struct sim_view *view, void *argument) {
  view->gpu.readings.compute_mode = *(const unsigned *)argument;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t device, nvmlComputeMode_t mode) {
  unsigned value = mode;
  if (value > NVML_COMPUTEMODE_EXCLUSIVE_PROCESS) return NVML_ERROR_INVALID_ARGUMENT;
  return sim_update(device, SIM_DEVICE, set_compute_mode, &value);
}

NVML_API nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
  struct sim_view view;
  if (mode == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *mode = (nvmlEnableState_t)view.gpu.readings.persistence_mode;
  return result;
}

// No board here needs a licence unless it is set to have one. The struct is long; its first fields are enough.
NVML_API nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v4(nvmlDevice_t device, unsigned *features) {
  struct sim_view view;
  if (features == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  // Licensable or not, how many features follow, the code and the state of the first.
  unsigned licensed = (unsigned)view.gpu.readings.licensed;
  features[0] = features[1] = licensed;
  if (licensed) features[3] = licensed;  // a real H100 writes no more than it has features
  return result;
}
