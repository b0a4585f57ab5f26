// The MIG tables of the boards. Slices, ids and placements of A100 and H100 are recorded facts; memory of H200, B200 and
// GB200 is worked out (eighths of the board less the driver's reserve), so that the profile names come out as real. The
// A30's profiles are those of NVIDIA's MIG User Guide ("A30 MIG Profiles"). Its library counts them wrongly, as
// nvidia-mig-parted's generate-config works round. Which counts it gives is an assumption: as many as there are placements.
#ifndef PITCREW_SIM_MIG_TABLES_H
#define PITCREW_SIM_MIG_TABLES_H

#include "../board.h"

enum { SIM_MIG_PROFILES = 7, SIM_MIG_PROFILES_A30 = 5 };

extern const struct sim_mig_profile sim_mig_a30[SIM_MIG_PROFILES_A30];
extern const struct sim_mig_profile sim_mig_a100_40g[SIM_MIG_PROFILES];
extern const struct sim_mig_profile sim_mig_a100_80g[SIM_MIG_PROFILES];
extern const struct sim_mig_profile sim_mig_h100[SIM_MIG_PROFILES];
extern const struct sim_mig_profile sim_mig_h200[SIM_MIG_PROFILES];
extern const struct sim_mig_profile sim_mig_b200[SIM_MIG_PROFILES];
extern const struct sim_mig_profile sim_mig_gb200[SIM_MIG_PROFILES];

#endif
