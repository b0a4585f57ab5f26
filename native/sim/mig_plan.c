#include "mig_plan.h"

#include <stdio.h>
#include <string.h>

#include "nvml_abi.h"

struct sim_gpu_instance *sim_instance_by_id(struct sim_gpu *gpu, unsigned id) {
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++)
    if (gpu->instances[i].used && gpu->instances[i].id == id) return &gpu->instances[i];
  return NULL;
}

struct sim_compute_instance *sim_compute_by_id(struct sim_gpu_instance *instance, unsigned id) {
  for (unsigned i = 0; i < SIM_MAX_COMPUTE_INSTANCES; i++)
    if (instance->compute[i].used && instance->compute[i].id == id) return &instance->compute[i];
  return NULL;
}

unsigned sim_compute_count(const struct sim_gpu_instance *instance) {
  unsigned count = 0;
  for (unsigned i = 0; i < SIM_MAX_COMPUTE_INSTANCES; i++) count += instance->compute[i].used;
  return count;
}

static unsigned slices_of(unsigned start, unsigned size) { return ((1u << size) - 1u) << start; }

static unsigned taken_slices(const struct sim_gpu *gpu) {
  unsigned taken = 0;
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++)
    if (gpu->instances[i].used) taken |= slices_of(gpu->instances[i].start, gpu->instances[i].size);
  return taken;
}

static bool has_media_extensions(unsigned profile_index) {
  return profile_index == NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV1 || profile_index == NVML_GPU_INSTANCE_PROFILE_2_SLICE_REV1;
}

// A GPU has one set of media extensions, whichever profile takes it.
static unsigned instances_of(const struct sim_gpu *gpu, const struct sim_mig_profile *profile) {
  unsigned count = 0;
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++)
    count += gpu->instances[i].used && (gpu->instances[i].profile == profile->index ||
                                        (has_media_extensions(gpu->instances[i].profile) && has_media_extensions(profile->index)));
  return count;
}

bool sim_placement_exists(const struct sim_mig_profile *profile, int start) {
  for (unsigned i = 0; i < profile->start_count; i++)
    if (profile->starts[i] == start) return true;
  return false;
}

bool sim_placement_is_free(const struct sim_gpu *gpu, const struct sim_mig_profile *profile, int start) {
  return (taken_slices(gpu) & slices_of((unsigned)start, profile->size)) == 0;
}

unsigned sim_instances_left(const struct sim_gpu *gpu, const struct sim_mig_profile *profile) {
  unsigned taken = taken_slices(gpu), fitting = 0;
  for (unsigned i = 0; i < profile->start_count; i++) {
    unsigned wanted = slices_of((unsigned)profile->starts[i], profile->size);
    if ((taken & wanted) != 0) continue;
    taken |= wanted;
    fitting++;
  }
  unsigned allowed = profile->instances - instances_of(gpu, profile);
  return fitting < allowed ? fitting : allowed;
}

static unsigned free_placements(const struct sim_board *board, unsigned taken) {
  unsigned count = 0;
  for (unsigned p = 0; p < board->mig_count; p++)
    for (unsigned i = 0; i < board->mig[p].start_count; i++)
      count += (taken & slices_of((unsigned)board->mig[p].starts[i], board->mig[p].size)) == 0;
  return count;
}

int sim_best_start(const struct sim_board *board, const struct sim_gpu *gpu, const struct sim_mig_profile *profile) {
  if (sim_instances_left(gpu, profile) == 0) return SIM_ANY;
  unsigned taken = taken_slices(gpu), best_left = 0;
  int best = SIM_ANY;
  for (unsigned i = 0; i < profile->start_count; i++) {
    unsigned wanted = slices_of((unsigned)profile->starts[i], profile->size);
    unsigned left = free_placements(board, taken | wanted);
    if ((taken & wanted) != 0 || (best != SIM_ANY && left <= best_left)) continue;
    best = profile->starts[i];
    best_left = left;
  }
  return best;
}

// The driver numbers the places of a GPU as a binary tree: whole 0; halves 1, 2; quarters 3-6; eighths 7-14.
static unsigned place_id(const struct sim_mig_profile *profile, int start) {
  return SIM_MEMORY_SLICES / profile->size - 1u + (unsigned)start / profile->size;
}

static unsigned free_id(struct sim_gpu *gpu, unsigned wanted) {
  unsigned id = wanted;
  for (unsigned next = 0; sim_instance_by_id(gpu, id) != NULL; next++) id = next;
  return id;
}

struct sim_gpu_instance *sim_instance_add(struct sim_gpu *gpu, const struct sim_mig_profile *profile, int start,
                                          int id) {
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++) {
    struct sim_gpu_instance *entry = &gpu->instances[i];
    if (entry->used) continue;
    unsigned chosen = id == SIM_ANY ? free_id(gpu, place_id(profile, start)) : (unsigned)id;
    *entry = (struct sim_gpu_instance){.used = true, .id = (uint8_t)chosen, .profile = profile->index,
                                       .start = (uint8_t)start, .size = profile->size};
    return entry;
  }
  return NULL;
}

unsigned sim_compute_starts(const struct sim_compute_profile *profile, unsigned slices, uint8_t starts[8]) {
  unsigned step = profile->slices == 3 ? 4 : profile->slices, count = 0;
  for (unsigned start = 0; start + profile->slices <= slices && count < profile->instances; start += step)
    starts[count++] = (uint8_t)start;
  return count;
}

bool sim_compute_is_free(const struct sim_gpu_instance *instance, unsigned start, unsigned slices) {
  for (unsigned i = 0; i < SIM_MAX_COMPUTE_INSTANCES; i++) {
    const struct sim_compute_instance *other = &instance->compute[i];
    if (other->used && (slices_of(other->start, other->size) & slices_of(start, slices)) != 0) return false;
  }
  return true;
}

unsigned sim_computes_left(const struct sim_gpu_instance *instance, const struct sim_compute_profile *profile,
                           unsigned slices) {
  uint8_t starts[8];
  unsigned count = sim_compute_starts(profile, slices, starts), left = 0;
  for (unsigned i = 0; i < count; i++) left += sim_compute_is_free(instance, starts[i], profile->slices);
  return left;
}

static int lowest_compute_start(const struct sim_gpu_instance *instance, const struct sim_compute_profile *profile,
                                unsigned slices, int wanted) {
  uint8_t starts[8];
  unsigned count = sim_compute_starts(profile, slices, starts);
  for (unsigned i = 0; i < count; i++)
    if ((wanted == SIM_ANY || wanted == starts[i]) && sim_compute_is_free(instance, starts[i], profile->slices))
      return starts[i];
  return SIM_ANY;
}

struct sim_compute_instance *sim_compute_add(struct sim_gpu_instance *instance,
                                             const struct sim_compute_profile *profile, unsigned slices, int start,
                                             int id) {
  int place = lowest_compute_start(instance, profile, slices, start);
  if (place == SIM_ANY) return NULL;
  unsigned chosen = id == SIM_ANY ? 0 : (unsigned)id;
  while (id == SIM_ANY && sim_compute_by_id(instance, chosen) != NULL) chosen++;
  for (unsigned i = 0; i < SIM_MAX_COMPUTE_INSTANCES; i++) {
    struct sim_compute_instance *entry = &instance->compute[i];
    if (entry->used) continue;
    *entry = (struct sim_compute_instance){.used = true, .id = (uint8_t)chosen, .profile = profile->index,
                                           .start = (uint8_t)place, .size = profile->slices};
    return entry;
  }
  return NULL;
}

static unsigned rank(unsigned gpu_instance, unsigned compute_instance) { return gpu_instance << 8 | compute_instance; }

bool sim_mig_device_index(const struct sim_gpu *gpu, unsigned gpu_instance, unsigned compute_instance,
                          unsigned *index) {
  bool found = false;
  *index = 0;
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++) {
    const struct sim_gpu_instance *instance = &gpu->instances[i];
    for (unsigned c = 0; instance->used && c < SIM_MAX_COMPUTE_INSTANCES; c++) {
      if (!instance->compute[c].used) continue;
      unsigned here = rank(instance->id, instance->compute[c].id), wanted = rank(gpu_instance, compute_instance);
      *index += here < wanted;
      found |= here == wanted;
    }
  }
  return found;
}

bool sim_mig_device(struct sim_gpu *gpu, unsigned index, struct sim_gpu_instance **instance,
                    struct sim_compute_instance **compute) {
  for (unsigned i = 0; i < SIM_MAX_GPU_INSTANCES; i++) {
    for (unsigned c = 0; c < SIM_MAX_COMPUTE_INSTANCES; c++) {
      unsigned here;
      *instance = &gpu->instances[i];
      *compute = &gpu->instances[i].compute[c];
      if (!(*instance)->used || !(*compute)->used) continue;
      if (sim_mig_device_index(gpu, (*instance)->id, (*compute)->id, &here) && here == index) return true;
    }
  }
  return false;
}

static uint64_t mix(const char *text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (; *text != '\0'; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ hash >> 29;
}

void sim_mig_uuid(const char *gpu_uuid, unsigned gpu_instance, unsigned compute_instance, char text[SIM_TEXT]) {
  char key[SIM_TEXT + 32];
  snprintf(key, sizeof key, "%s/%u/%u", gpu_uuid, gpu_instance, compute_instance);
  uint64_t high = mix(key, 1), low = mix(key, 2);
  snprintf(text, SIM_TEXT, "MIG-%08x-%04x-5%03x-%04x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xFFFF),
           (unsigned)(high & 0xFFF), (unsigned)(0x8000 | (low >> 48 & 0x3FFF)),
           (unsigned long long)(low & 0xFFFFFFFFFFFFu));
}

void sim_mig_profile_name(const struct sim_mig_profile *profile, unsigned compute_slices, uint64_t total_mib,
                          char text[SIM_TEXT]) {
  uint64_t eighths = (8ull * profile->memory_mib + total_mib - 1) / total_mib;
  uint64_t total_gib = (total_mib + 1023) / 1024;
  unsigned gigabytes = (unsigned)((2 * eighths * total_gib + 8) / 16);
  char compute[8] = "";
  if (compute_slices != profile->slices) snprintf(compute, sizeof compute, "%uc.", compute_slices & 0xFF);
  snprintf(text, SIM_TEXT, "%s%ug.%ugb%s", compute, profile->slices, gigabytes,
           has_media_extensions(profile->index) ? "+me" : "");
}
