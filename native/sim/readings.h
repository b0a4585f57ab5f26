// What the functions that read measurements share.
#ifndef PITCREW_SIM_READINGS_H
#define PITCREW_SIM_READINGS_H

#include "library.h"

// Writes the reading of a whole GPU that lies at the offset in struct sim_readings.
nvmlReturn_t sim_read_unsigned(nvmlDevice_t device, size_t offset, unsigned *value);
#define SIM_READ(device, name, value) sim_read_unsigned(device, offsetof(struct sim_readings, name), value)

// Nanoseconds since the driver was loaded: what counters grow with.
uint64_t sim_uptime_ns(const struct sim_view *view);
uint64_t sim_energy_mj(const struct sim_view *view);

// Whether the library of a driver branch, such as 580, has a field of this number.
bool sim_field_is_known(unsigned long branch, unsigned id);

#endif
