// MIG, reading: modes, profiles, MIG devices and what their instances are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "mig_plan.h"

enum { MIG_DEVICES_MAX = 7 };

NVML_API nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
  struct sim_view view;
  if (current == NULL || pending == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->mig == NULL) return NVML_ERROR_NOT_SUPPORTED;
  *current = view.gpu.mig_mode;
  *pending = (unsigned)view.gpu.readings.pending_mig_mode;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) *count = view.gpu.mig_mode ? MIG_DEVICES_MAX : 0;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *mig) {
  struct sim_view view;
  if (mig == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->mig == NULL || !view.gpu.mig_mode) return NVML_ERROR_NOT_SUPPORTED;
  if (index >= MIG_DEVICES_MAX) return NVML_ERROR_INVALID_ARGUMENT;
  struct sim_gpu_instance *instance;
  struct sim_compute_instance *compute;
  if (!sim_mig_device(&view.gpu, index, &instance, &compute)) return NVML_ERROR_NOT_FOUND;
  *mig = sim_handle(SIM_MIG_DEVICE, view.index, instance->id, compute->id);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is_mig) {
  struct sim_view view;
  if (is_mig == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_ANY_DEVICE, &view);
  if (result == NVML_SUCCESS) *is_mig = view.kind == SIM_MIG_DEVICE;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t mig, nvmlDevice_t *device) {
  struct sim_view view;
  if (device == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(mig, SIM_MIG_DEVICE, &view);
  if (result == NVML_SUCCESS) *device = sim_handle(SIM_DEVICE, view.index, 0, 0);
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t mig, unsigned *id) {
  struct sim_view view;
  if (id == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(mig, SIM_MIG_DEVICE, &view);
  if (result == NVML_SUCCESS) *id = view.instance->id;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t mig, unsigned *id) {
  struct sim_view view;
  if (id == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(mig, SIM_MIG_DEVICE, &view);
  if (result == NVML_SUCCESS) *id = view.compute->id;
  return result;
}

// The engines are shared by all compute instances of a GPU instance; only the multiprocessors are their own.
NVML_API nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t mig, nvmlDeviceAttributes_t *attributes) {
  struct sim_view view;
  if (attributes == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(mig, SIM_ANY_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.kind != SIM_MIG_DEVICE) return NVML_ERROR_NOT_SUPPORTED;
  const struct sim_mig_profile *profile = view.profile;
  *attributes = (nvmlDeviceAttributes_t){
      view.compute_profile->multiprocessors, profile->copy, profile->decoder, profile->encoder, profile->jpeg,
      profile->ofa, profile->slices, view.compute->size, profile->memory_mib};
  return NVML_SUCCESS;
}
NVML_API nvmlReturn_t nvmlDeviceGetAttributes(nvmlDevice_t mig, nvmlDeviceAttributes_t *attributes) {
  return nvmlDeviceGetAttributes_v2(mig, attributes);
}

// A driver of R535 or older lists no GPU instance profile while MIG mode is off: NVIDIA's mig-parted has the error
// "no MIG profiles discovered for MIG-capable GPUs" for it (pkg/mig/discovery) and falls back to a static table.
// A real H100 with R580 lists them in either mode. That R550, the next branch for data centres, does so, too, is assumed:
// its nvml.h is the first with NVML_FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE.
enum { LISTS_WHILE_OFF = 540 };

bool sim_hides_profiles(const struct sim_view *view) {
  return !view->gpu.mig_mode && sim_branch(view) < LISTS_WHILE_OFF;
}

// NVML_GPU_INSTANCE_PROFILE_COUNT of nvml.h by driver branch: of CUDA 11.8, 12.0, 12.8, 12.9 and 13.2 (the history of
// gen/nvml/nvml.h in NVIDIA/go-nvml). The report of the H100 has 17 for R580.
static unsigned known_profiles(const struct sim_view *view) {
  unsigned long branch = sim_branch(view);
  return branch < 525 ? 8 : branch < 570 ? 10 : branch < 575 ? 13 : branch < 595 ? 17 : 18;
}

// NVML_COMPUTE_INSTANCE_PROFILE_COUNT, likewise: of CUDA 11.8, 13.2 and 13.3.
static unsigned known_compute_profiles(const struct sim_view *view) {
  unsigned long branch = sim_branch(view);
  return branch < 525 ? 7 : branch < 610 ? 8 : 9;
}

static unsigned listed_instances(const struct sim_mig_profile *profile) {
  return profile->listed_instances == 0 ? profile->instances : profile->listed_instances;
}

static nvmlReturn_t gpu_profile(nvmlDevice_t device, unsigned index, struct sim_view *view) {
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, view);
  if (result != NVML_SUCCESS) return result;
  if (view->board->mig == NULL || sim_hides_profiles(view)) return NVML_ERROR_NOT_SUPPORTED;
  if (index >= known_profiles(view)) return NVML_ERROR_INVALID_ARGUMENT;
  view->profile = sim_mig_profile_by_index(view->board, index);
  return view->profile == NULL ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned index,
                                                          nvmlGpuInstanceProfileInfo_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = gpu_profile(device, index, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_mig_profile *p = view.profile;
  *info = (nvmlGpuInstanceProfileInfo_t){p->id, p->p2p, p->slices, listed_instances(p), p->multiprocessors, p->copy,
                                         p->decoder, p->encoder, p->jpeg, p->ofa, p->memory_mib};
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned index,
                                                           nvmlGpuInstanceProfileInfo_v2_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (info->version != nvmlGpuInstanceProfileInfo_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = gpu_profile(device, index, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_mig_profile *p = view.profile;
  char name[SIM_TEXT];
  sim_mig_profile_name(p, p->slices, view.gpu.readings.memory_mib, name);
  // The version is cleared, as by the real library: who uses the struct again must set it again.
  *info = (nvmlGpuInstanceProfileInfo_v2_t){0, p->id, p->p2p, p->slices, listed_instances(p),
                                            p->multiprocessors, p->copy, p->decoder, p->encoder, p->jpeg,
                                            p->ofa, p->memory_mib, {0}};
  snprintf(info->name, sizeof info->name, "MIG %.80s", name);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned profile_id,
                                                                    nvmlGpuInstancePlacement_t *placements,
                                                                    unsigned *count) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->mig == NULL || sim_hides_profiles(&view)) return NVML_ERROR_NOT_SUPPORTED;
  const struct sim_mig_profile *profile = sim_mig_profile_by_id(view.board, profile_id);
  if (profile == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  unsigned room = *count;
  *count = profile->start_count;
  if (placements == NULL) return NVML_SUCCESS;
  if (room < profile->start_count) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < profile->start_count; i++)
    placements[i] = (nvmlGpuInstancePlacement_t){(unsigned)profile->starts[i], profile->size};
  return NVML_SUCCESS;
}

// The first version has no way to ask for the number, nor to say how much room there is: nvml.h of CUDA 11.4.
NVML_API nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements(nvmlDevice_t device, unsigned profile_id,
                                                                 nvmlGpuInstancePlacement_t *placements,
                                                                 unsigned *count) {
  if (placements == NULL || count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  *count = SIM_PLACEMENTS_MAX;
  return nvmlDeviceGetGpuInstancePossiblePlacements_v2(device, profile_id, placements, count);
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(instance, SIM_GPU_INSTANCE, &view);
  if (result != NVML_SUCCESS) return result;
  *info = (nvmlGpuInstanceInfo_t){sim_handle(SIM_DEVICE, view.index, 0, 0), view.instance->id, view.profile->id,
                                  {view.instance->start, view.instance->size}};
  return NVML_SUCCESS;
}

static nvmlReturn_t compute_profile(nvmlGpuInstance_t instance, unsigned index, unsigned engines,
                                    struct sim_view *view) {
  nvmlReturn_t result = sim_look(instance, SIM_GPU_INSTANCE, view);
  if (result != NVML_SUCCESS) return result;
  if (index >= known_compute_profiles(view) || engines != NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED)
    return NVML_ERROR_INVALID_ARGUMENT;
  view->compute_profile = sim_compute_profile_by_index(view->profile, index);
  return view->compute_profile == NULL ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t instance, unsigned index,
                                                                   unsigned engines,
                                                                   nvmlComputeInstanceProfileInfo_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = compute_profile(instance, index, engines, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_compute_profile *c = view.compute_profile;
  const struct sim_mig_profile *p = view.profile;
  *info = (nvmlComputeInstanceProfileInfo_t){c->index, c->slices, c->instances, c->multiprocessors, p->copy,
                                             p->decoder, p->encoder, p->jpeg, p->ofa};
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfoV(nvmlGpuInstance_t instance, unsigned index,
                                                                    unsigned engines,
                                                                    nvmlComputeInstanceProfileInfo_v2_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  if (info->version != nvmlComputeInstanceProfileInfo_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlReturn_t result = compute_profile(instance, index, engines, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_compute_profile *c = view.compute_profile;
  const struct sim_mig_profile *p = view.profile;
  char name[SIM_TEXT];
  sim_mig_profile_name(p, c->slices, view.gpu.readings.memory_mib, name);
  *info = (nvmlComputeInstanceProfileInfo_v2_t){info->version, c->index, c->slices, c->instances,
                                                c->multiprocessors, p->copy, p->decoder, p->encoder, p->jpeg,
                                                p->ofa, {0}};
  snprintf(info->name, sizeof info->name, "MIG %.80s", name);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t compute, nvmlComputeInstanceInfo_t *info) {
  struct sim_view view;
  if (info == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(compute, SIM_COMPUTE_INSTANCE, &view);
  if (result != NVML_SUCCESS) return result;
  *info = (nvmlComputeInstanceInfo_t){sim_handle(SIM_DEVICE, view.index, 0, 0),
                                      sim_handle(SIM_GPU_INSTANCE, view.index, view.instance->id, 0),
                                      view.compute->id, view.compute->profile,
                                      {view.compute->start, view.compute->size}};
  return NVML_SUCCESS;
}
NVML_API nvmlReturn_t nvmlComputeInstanceGetInfo(nvmlComputeInstance_t compute, nvmlComputeInstanceInfo_t *info) {
  return nvmlComputeInstanceGetInfo_v2(compute, info);
}
