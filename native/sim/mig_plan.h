// What fits where on a GPU with MIG. Pure: it looks at and changes nothing but the GPU record that it is given.
#ifndef PITCREW_SIM_MIG_PLAN_H
#define PITCREW_SIM_MIG_PLAN_H

#include "state.h"

enum { SIM_ANY = -1 };

struct sim_gpu_instance *sim_instance_by_id(struct sim_gpu *gpu, unsigned id);
struct sim_compute_instance *sim_compute_by_id(struct sim_gpu_instance *instance, unsigned id);
unsigned sim_compute_count(const struct sim_gpu_instance *instance);

bool sim_placement_exists(const struct sim_mig_profile *profile, int start);
bool sim_placement_is_free(const struct sim_gpu *gpu, const struct sim_mig_profile *profile, int start);
// How many more instances of the profile fit.
unsigned sim_instances_left(const struct sim_gpu *gpu, const struct sim_mig_profile *profile);
// The free start that leaves the most other placements possible, as the driver chooses it; SIM_ANY: none is free.
int sim_best_start(const struct sim_board *board, const struct sim_gpu *gpu, const struct sim_mig_profile *profile);
// Adds an instance at a free start; id SIM_ANY: the id that the driver gives to that place. Null: no room.
struct sim_gpu_instance *sim_instance_add(struct sim_gpu *gpu, const struct sim_mig_profile *profile, int start, int id);

// Starts of a compute profile in a GPU instance of so many slices; returns their number.
unsigned sim_compute_starts(const struct sim_compute_profile *profile, unsigned slices, uint8_t starts[8]);
bool sim_compute_is_free(const struct sim_gpu_instance *instance, unsigned start, unsigned slices);
unsigned sim_computes_left(const struct sim_gpu_instance *instance, const struct sim_compute_profile *profile,
                           unsigned slices);
// Adds a compute instance; start or id SIM_ANY: the lowest free one. Null: no room.
struct sim_compute_instance *sim_compute_add(struct sim_gpu_instance *instance,
                                             const struct sim_compute_profile *profile, unsigned slices, int start,
                                             int id);

// MIG device index -> instances, ordered by GPU instance id, then compute instance id. False: no such index.
bool sim_mig_device(struct sim_gpu *gpu, unsigned index, struct sim_gpu_instance **instance,
                    struct sim_compute_instance **compute);
bool sim_mig_device_index(const struct sim_gpu *gpu, unsigned gpu_instance, unsigned compute_instance, unsigned *index);
// MIG-<uuid>: always the same for the same GPU and instance ids.
void sim_mig_uuid(const char *gpu_uuid, unsigned gpu_instance, unsigned compute_instance, char text[SIM_TEXT]);
// "1g.5gb", "1c.3g.20gb", "1g.5gb+me"; total is the memory of the whole board.
void sim_mig_profile_name(const struct sim_mig_profile *profile, unsigned compute_slices, uint64_t total_mib,
                          char text[SIM_TEXT]);

#endif
