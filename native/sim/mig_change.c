// MIG, changing: the mode, GPU instances and compute instances, with the refusals that hardware gives.
#include <string.h>

#include "library.h"
#include "mig_plan.h"

static bool has_processes(const struct sim_gpu *gpu, unsigned gpu_instance, unsigned compute_instance) {
  for (unsigned i = 0; i < SIM_MAX_PROCESSES; i++) {
    const struct sim_process *process = &gpu->processes[i];
    if (!sim_process_lives(process)) continue;
    bool here = gpu_instance == SIM_NO_INSTANCE || process->gpu_instance == gpu_instance;
    if (here && (compute_instance == SIM_NO_INSTANCE || process->compute_instance == compute_instance)) return true;
  }
  return false;
}

static bool has_instances(const struct sim_gpu *gpu) {
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++)
    if (gpu->instances[i].used) return true;
  return false;
}

struct mode_change {
  unsigned mode;
  nvmlReturn_t activation;
};

static nvmlReturn_t set_mode(struct sim_view *view, void *argument) {
  struct mode_change *wanted = argument;
  struct sim_gpu *gpu = &view->gpu;
  if (view->board->mig == NULL) return NVML_ERROR_NOT_SUPPORTED;
  if (wanted->mode > NVML_DEVICE_MIG_ENABLE) return NVML_ERROR_INVALID_ARGUMENT;
  if (wanted->mode == NVML_DEVICE_MIG_DISABLE && has_instances(gpu)) return NVML_ERROR_IN_USE;
  gpu->readings.pending_mig_mode = wanted->mode;
  wanted->activation = NVML_SUCCESS;
  if (gpu->mig_mode == wanted->mode) return NVML_SUCCESS;
  if (view->board->mig_needs_reset)
    wanted->activation = NVML_ERROR_RESET_REQUIRED;
  else if (has_processes(gpu, SIM_NO_INSTANCE, SIM_NO_INSTANCE))
    wanted->activation = NVML_ERROR_IN_USE;
  else
    gpu->mig_mode = (uint8_t)wanted->mode;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceSetMigMode(nvmlDevice_t device, unsigned mode, nvmlReturn_t *activation) {
  struct mode_change wanted = {mode, NVML_SUCCESS};
  if (activation == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_fault(device, __func__);
  if (result == NVML_SUCCESS) result = sim_update(device, SIM_DEVICE, set_mode, &wanted);
  *activation = result == NVML_SUCCESS ? wanted.activation : result;
  return result;
}

// Looks at a GPU in MIG mode and at a profile of it by the profile's id.
static nvmlReturn_t look_at_profile(struct sim_view *view, unsigned profile_id) {
  if (view->board->mig == NULL || !view->gpu.mig_mode) return NVML_ERROR_NOT_SUPPORTED;
  view->profile = sim_mig_profile_by_id(view->board, profile_id);
  return view->profile == NULL ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

// A report of a real H100 with driver 580.159.04: profiles of other boards.
static bool is_foreign(unsigned profile_id) { return profile_id == 6 || profile_id == 10 || profile_id == 21; }

// That report has it with MIG mode off.
NVML_API nvmlReturn_t nvmlDeviceGetGpuInstanceRemainingCapacity(nvmlDevice_t device, unsigned profile_id,
                                                                unsigned *count) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->mig == NULL || sim_hides_profiles(&view)) return NVML_ERROR_NOT_SUPPORTED;
  view.profile = sim_mig_profile_by_id(view.board, profile_id);
  if (view.profile == NULL) return is_foreign(profile_id) ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
  *count = sim_instances_left(&view.gpu, view.profile);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned profile_id,
                                                nvmlGpuInstance_t *instances, unsigned *count) {
  struct sim_view view;
  if (instances == NULL || count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS) result = look_at_profile(&view, profile_id);
  if (result != NVML_SUCCESS) return result;
  *count = 0;
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++) {
    const struct sim_gpu_instance *instance = &view.gpu.instances[i];
    if (instance->used && instance->profile == view.profile->index)
      instances[(*count)++] = sim_handle(SIM_GPU_INSTANCE, view.index, instance->id, 0);
  }
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned id, nvmlGpuInstance_t *instance) {
  struct sim_view view;
  if (instance == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  if (view.board->mig == NULL || !view.gpu.mig_mode) return NVML_ERROR_NOT_SUPPORTED;
  if (sim_instance_by_id(&view.gpu, id) == NULL) return NVML_ERROR_NOT_FOUND;
  *instance = sim_handle(SIM_GPU_INSTANCE, view.index, id, 0);
  return NVML_SUCCESS;
}

struct instance_request {
  unsigned profile_id;
  const nvmlGpuInstancePlacement_t *placement;
  unsigned id;
};

static nvmlReturn_t create_instance(struct sim_view *view, void *argument) {
  struct instance_request *request = argument;
  nvmlReturn_t result = look_at_profile(view, request->profile_id);
  if (result != NVML_SUCCESS) return result;
  const nvmlGpuInstancePlacement_t *place = request->placement;
  int start = place == NULL ? sim_best_start(view->board, &view->gpu, view->profile) : (int)place->start;
  if (place != NULL && (place->size != view->profile->size || !sim_placement_exists(view->profile, start)))
    return NVML_ERROR_INVALID_ARGUMENT;
  if (sim_instances_left(&view->gpu, view->profile) == 0 || start == SIM_ANY ||
      !sim_placement_is_free(&view->gpu, view->profile, start))
    return NVML_ERROR_INSUFFICIENT_RESOURCES;
  const struct sim_gpu_instance *added = sim_instance_add(&view->gpu, view->profile, start, SIM_ANY);
  if (added == NULL) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  request->id = added->id;
  return NVML_SUCCESS;
}

static nvmlReturn_t create_gpu_instance(const char *call, nvmlDevice_t device, struct instance_request request,
                                        nvmlGpuInstance_t *instance) {
  if (instance == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_fault(device, call);
  if (result == NVML_SUCCESS) result = sim_update(device, SIM_DEVICE, create_instance, &request);
  if (result == NVML_SUCCESS)
    *instance = sim_handle(SIM_GPU_INSTANCE, (unsigned)((uintptr_t)device >> 24 & 0xFF), request.id, 0);
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceCreateGpuInstance(nvmlDevice_t device, unsigned profile_id,
                                                  nvmlGpuInstance_t *instance) {
  return create_gpu_instance(__func__, device, (struct instance_request){profile_id, NULL, 0}, instance);
}

NVML_API nvmlReturn_t nvmlDeviceCreateGpuInstanceWithPlacement(nvmlDevice_t device, unsigned profile_id,
                                                               const nvmlGpuInstancePlacement_t *placement,
                                                               nvmlGpuInstance_t *instance) {
  if (placement == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  return create_gpu_instance(__func__, device, (struct instance_request){profile_id, placement, 0}, instance);
}

static nvmlReturn_t destroy_instance(struct sim_view *view, void *argument) {
  (void)argument;
  if (sim_compute_count(view->instance) > 0) return NVML_ERROR_IN_USE;
  if (has_processes(&view->gpu, view->instance->id, SIM_NO_INSTANCE)) return NVML_ERROR_IN_USE;
  memset(view->instance, 0, sizeof *view->instance);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpuInstanceDestroy(nvmlGpuInstance_t instance) {
  nvmlReturn_t result = sim_fault(instance, __func__);
  return result == NVML_SUCCESS ? sim_update(instance, SIM_GPU_INSTANCE, destroy_instance, NULL) : result;
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetComputeInstanceRemainingCapacity(nvmlGpuInstance_t instance,
                                                                         unsigned profile_id, unsigned *count) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(instance, SIM_GPU_INSTANCE, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_compute_profile *profile = sim_compute_profile_by_index(view.profile, profile_id);
  if (profile == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  *count = sim_computes_left(view.instance, profile, view.profile->slices);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetComputeInstancePossiblePlacements(nvmlGpuInstance_t instance,
                                                                          unsigned profile_id,
                                                                          nvmlComputeInstancePlacement_t *placements,
                                                                          unsigned *count) {
  struct sim_view view;
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(instance, SIM_GPU_INSTANCE, &view);
  if (result != NVML_SUCCESS) return result;
  const struct sim_compute_profile *profile = sim_compute_profile_by_index(view.profile, profile_id);
  if (profile == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  uint8_t starts[8];
  unsigned room = *count;
  *count = sim_compute_starts(profile, view.profile->slices, starts);
  if (placements == NULL) return NVML_SUCCESS;
  if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < *count; i++)
    placements[i] = (nvmlComputeInstancePlacement_t){starts[i], profile->slices};
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t instance, unsigned profile_id,
                                                         nvmlComputeInstance_t *computes, unsigned *count) {
  struct sim_view view;
  if (computes == NULL || count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(instance, SIM_GPU_INSTANCE, &view);
  if (result != NVML_SUCCESS) return result;
  if (sim_compute_profile_by_index(view.profile, profile_id) == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  *count = 0;
  for (unsigned i = 0; i < SIM_MAX_COMPUTE_INSTANCES; i++) {
    const struct sim_compute_instance *compute = &view.instance->compute[i];
    if (compute->used && compute->profile == profile_id)
      computes[(*count)++] = sim_handle(SIM_COMPUTE_INSTANCE, view.index, view.instance->id, compute->id);
  }
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(nvmlGpuInstance_t instance, unsigned id,
                                                            nvmlComputeInstance_t *compute) {
  struct sim_view view;
  if (compute == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(instance, SIM_GPU_INSTANCE, &view);
  if (result != NVML_SUCCESS) return result;
  if (sim_compute_by_id(view.instance, id) == NULL) return NVML_ERROR_NOT_FOUND;
  *compute = sim_handle(SIM_COMPUTE_INSTANCE, view.index, view.instance->id, id);
  return NVML_SUCCESS;
}

struct compute_request {
  unsigned profile_id;
  const nvmlComputeInstancePlacement_t *placement;
  void *handle;
};

static nvmlReturn_t create_compute(struct sim_view *view, void *argument) {
  struct compute_request *request = argument;
  const struct sim_compute_profile *profile = sim_compute_profile_by_index(view->profile, request->profile_id);
  if (profile == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  const nvmlComputeInstancePlacement_t *place = request->placement;
  if (place != NULL && place->size != profile->slices) return NVML_ERROR_INVALID_ARGUMENT;
  const struct sim_compute_instance *added = sim_compute_add(
      view->instance, profile, view->profile->slices, place == NULL ? SIM_ANY : (int)place->start, SIM_ANY);
  if (added == NULL) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  request->handle = sim_handle(SIM_COMPUTE_INSTANCE, view->index, view->instance->id, added->id);
  return NVML_SUCCESS;
}

static nvmlReturn_t create_compute_instance(const char *call, nvmlGpuInstance_t instance,
                                            struct compute_request request, nvmlComputeInstance_t *compute) {
  if (compute == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_fault(instance, call);
  if (result == NVML_SUCCESS) result = sim_update(instance, SIM_GPU_INSTANCE, create_compute, &request);
  if (result == NVML_SUCCESS) *compute = request.handle;
  return result;
}

NVML_API nvmlReturn_t nvmlGpuInstanceCreateComputeInstance(nvmlGpuInstance_t instance, unsigned profile_id,
                                                           nvmlComputeInstance_t *compute) {
  return create_compute_instance(__func__, instance, (struct compute_request){profile_id, NULL, NULL}, compute);
}

NVML_API nvmlReturn_t nvmlGpuInstanceCreateComputeInstanceWithPlacement(
    nvmlGpuInstance_t instance, unsigned profile_id, const nvmlComputeInstancePlacement_t *placement,
    nvmlComputeInstance_t *compute) {
  if (placement == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  return create_compute_instance(__func__, instance, (struct compute_request){profile_id, placement, NULL}, compute);
}

static nvmlReturn_t destroy_compute(struct sim_view *view, void *argument) {
  (void)argument;
  if (has_processes(&view->gpu, view->instance->id, view->compute->id)) return NVML_ERROR_IN_USE;
  memset(view->compute, 0, sizeof *view->compute);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlComputeInstanceDestroy(nvmlComputeInstance_t compute) {
  nvmlReturn_t result = sim_fault(compute, __func__);
  return result == NVML_SUCCESS ? sim_update(compute, SIM_COMPUTE_INSTANCE, destroy_compute, NULL) : result;
}
