// How the library's functions reach the node: handles, and one way each to read and to change a GPU.
#ifndef PITCREW_SIM_LIBRARY_H
#define PITCREW_SIM_LIBRARY_H

#include "nvml_functions.h"
#include "state.h"

enum sim_kind { SIM_DEVICE = 1, SIM_MIG_DEVICE = 2, SIM_GPU_INSTANCE = 4, SIM_COMPUTE_INSTANCE = 8 };
enum { SIM_ANY_DEVICE = SIM_DEVICE | SIM_MIG_DEVICE };

// What a call sees of the GPU that its handle names.
struct sim_view {
  const struct sim_board *board;
  struct sim_state *state;
  enum sim_kind kind;
  unsigned index;
  struct sim_gpu gpu;
  unsigned nvlinks;  // of the board, or none where they are switched off
  struct sim_gpu_instance *instance;     // for all handles but those of a whole GPU
  struct sim_compute_instance *compute;  // for MIG devices and compute instances
  const struct sim_mig_profile *profile;
  const struct sim_compute_profile *compute_profile;
};

// Fills the view, or says why not. Waits as long as the GPU hangs, and as long as the resource manager is held.
nvmlReturn_t sim_look(const void *handle, unsigned kinds, struct sim_view *view);
// The same for what the library keeps of a whole GPU: handles, names, UUIDs, indices, minor numbers and PCI addresses.
// These answer while the resource manager is held. Assumption: libnvidia-ml is closed source; it has read them before
// it gives out a handle.
nvmlReturn_t sim_look_cached(const void *handle, unsigned kinds, struct sim_view *view);

// Changes view->gpu under the lock; the change comes into force if the function returns success.
typedef nvmlReturn_t sim_change(struct sim_view *view, void *argument);
nvmlReturn_t sim_update(const void *handle, unsigned kinds, sim_change *change, void *argument);

// What "nvml-sim STATE fail" has prepared for a call of this name: its code, or a GPU that hangs from now on.
nvmlReturn_t sim_fault(const void *handle, const char *call);

// The state and its board, for calls that name no GPU.
nvmlReturn_t sim_node(struct sim_state **state, const struct sim_board **board);

// The driver's branch: 580 of 580.159.04.
unsigned long sim_branch(const struct sim_view *view);
// Whether the driver reports no MIG profiles now.
bool sim_hides_profiles(const struct sim_view *view);

// Waits as long as "nvml-sim STATE busy" holds the resource manager. One lock serializes what reaches the manager: see
// rmapiLockAcquire in src/nvidia/src/kernel/rmapi/rmapi.c of open-gpu-kernel-modules.
void sim_await_manager(struct sim_state *state);

// Initializes a GPU at its first use, if nothing keeps it initialized ("nvml-sim STATE first-open"). The driver does so
// when the GPU's device file is opened for the first time, under the resource manager's lock, and undoes it after the
// last user: see nv_open_device in kernel-open/nvidia/nv.c of open-gpu-kernel-modules and "Driver Persistence" in
// NVIDIA's documentation, which gives 1 to 3 seconds a GPU. Assumption: a handle is what opens the file.
void sim_initialize(struct sim_state *state, unsigned index);

void *sim_handle(enum sim_kind kind, unsigned gpu, unsigned gpu_instance, unsigned compute_instance);
// NVML_SUCCESS, or why a driver of this generation cannot answer; under the lock.
nvmlReturn_t sim_driver_status(const struct sim_state *state);
nvmlReturn_t sim_copy_text(const char *text, char *target, unsigned length);

#endif
