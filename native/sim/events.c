// Event sets. The events of the node lie in the shared ring; a set remembers how far it has read and what it wants.
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "library.h"

struct nvmlEventSet_st {
  struct nvmlEventSet_st *next;
  uint64_t read;                 // events before this one are done
  uint64_t since[SIM_MAX_GPUS];  // events before a registration are not for the set
  uint64_t types[SIM_MAX_GPUS];
};

static pthread_mutex_t sets_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct nvmlEventSet_st *sets;

static bool is_known(const struct nvmlEventSet_st *set) {
  pthread_mutex_lock(&sets_mutex);
  const struct nvmlEventSet_st *known = sets;
  while (known != NULL && known != set) known = known->next;
  pthread_mutex_unlock(&sets_mutex);
  return set != NULL && known == set;
}

// A set has a file of the driver. To bind that to the client (NV_ESC_REGISTER_FD) takes the resource manager's lock: see
// src/nvidia/arch/nvalloc/unix/src/escape.c of open-gpu-kernel-modules. Assumption: it is bound when the set is made,
// and to wait for events takes no lock.
NVML_API nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
  struct sim_state *state;
  const struct sim_board *board;
  if (set == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result != NVML_SUCCESS) return result;
  struct nvmlEventSet_st *fresh = calloc(1, sizeof *fresh);
  if (fresh == NULL) return NVML_ERROR_MEMORY;
  // Does not wait for the resource manager: seen on an H100 with driver 580.159.04.
  sim_lock(state);
  fresh->read = state->event_count;
  sim_unlock(state);
  pthread_mutex_lock(&sets_mutex);
  fresh->next = sets;
  sets = fresh;
  pthread_mutex_unlock(&sets_mutex);
  *set = fresh;
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  pthread_mutex_lock(&sets_mutex);
  struct nvmlEventSet_st **link = &sets;
  while (*link != NULL && *link != set) link = &(*link)->next;
  bool found = set != NULL && *link == set;
  if (found) *link = set->next;
  pthread_mutex_unlock(&sets_mutex);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  free(set);
  return NVML_SUCCESS;
}

NVML_API nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types) {
  struct sim_view view;
  if (types == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result == NVML_SUCCESS)
    *types = nvmlEventTypeXidCriticalError | nvmlEventTypeClock | nvmlEventTypePState |
             nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError;
  return result;
}

NVML_API nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
  struct sim_view view;
  nvmlReturn_t result = sim_look(device, SIM_DEVICE, &view);
  if (result != NVML_SUCCESS) return result;
  unsigned long long supported = 0;
  nvmlDeviceGetSupportedEventTypes(device, &supported);
  if (!is_known(set)) return NVML_ERROR_INVALID_ARGUMENT;
  if ((types & ~supported) != 0) return NVML_ERROR_NOT_SUPPORTED;
  sim_lock(view.state);
  if (set->types[view.index] == 0) set->since[view.index] = view.state->event_count;
  set->types[view.index] |= types;
  sim_unlock(view.state);
  return NVML_SUCCESS;
}

static bool wants(const struct nvmlEventSet_st *set, const struct sim_event *event, uint64_t number) {
  return (set->types[event->gpu] & event->type) != 0 && number >= set->since[event->gpu];
}

static unsigned instance_id(uint16_t stored) { return stored == SIM_NO_INSTANCE ? 0xFFFFFFFFu : stored; }

// Under the lock. A set that is a whole ring behind has missed the oldest events.
static bool take(struct nvmlEventSet_st *set, const struct sim_state *state, nvmlEventData_t *data) {
  uint64_t oldest = state->event_count > SIM_EVENT_RING ? state->event_count - SIM_EVENT_RING : 0;
  if (set->read < oldest) set->read = oldest;
  while (set->read < state->event_count) {
    uint64_t number = set->read++;
    const struct sim_event *event = &state->events[number % SIM_EVENT_RING];
    if (!wants(set, event, number)) continue;
    *data = (nvmlEventData_t){sim_handle(SIM_DEVICE, event->gpu, 0, 0), event->type, event->data,
                              instance_id(event->gpu_instance), instance_id(event->compute_instance)};
    return true;
  }
  return false;
}

static bool time_left(uint64_t deadline_ns, struct timespec *left) {
  uint64_t now = sim_now_ns();
  uint64_t nanoseconds = now >= deadline_ns ? 0 : deadline_ns - now;
  *left = (struct timespec){(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
  return nanoseconds > 0;
}

// A failing call takes no event: what happens meanwhile stays in the set. Both versions of the call share one fault.
NVML_API nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms) {
  struct sim_state *state;
  const struct sim_board *board;
  uint64_t deadline = sim_now_ns() + 1000000ull * timeout_ms;
  nvmlReturn_t result = sim_node(&state, &board);
  if (result == NVML_SUCCESS && (data == NULL || !is_known(set))) return NVML_ERROR_INVALID_ARGUMENT;
  while (result == NVML_SUCCESS) {
    struct timespec left;
    sim_lock(state);
    uint32_t seen = atomic_load(&state->signal);
    result = sim_driver_status(state);
    if (result == NVML_SUCCESS) result = (nvmlReturn_t)sim_fault_take(state, "nvmlEventSetWait");
    bool taken = result == NVML_SUCCESS && take(set, state, data);
    sim_unlock(state);
    if (result != NVML_SUCCESS || taken) return result;
    if (!time_left(deadline, &left)) return NVML_ERROR_TIMEOUT;
    sim_signal_wait(state, seen, &left);
  }
  return result;
}
NVML_API nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms) {
  return nvmlEventSetWait_v2(set, data, timeout_ms);
}
