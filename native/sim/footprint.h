// Assumption, from figures of users and no document: the real library takes about 4 MiB of resident memory for each GPU
// and has a thread of its own while it is open.
#ifndef PITCREW_SIM_FOOTPRINT_H
#define PITCREW_SIM_FOOTPRINT_H

enum { SIM_FOOTPRINT_MIB = 4 };

// Takes memory whose pages are all resident, and a thread. Nothing where the memory is zero. Under the library's lock.
void sim_footprint_take(unsigned mib_per_gpu, unsigned gpus);
// Gives them back. Not in a child of the process that took them: it has no such thread.
void sim_footprint_release(void);

#endif
