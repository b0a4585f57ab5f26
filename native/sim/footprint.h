// What an open library costs its process. Source: a report of a real H100 with driver 580.159.04. nvmlInit took the
// process from 32 to 51 MiB of resident memory, most of it anonymous, and to one thread more; nvmlShutdown gave back
// neither. With a handle the process had /dev/nvidiactl and two capabilities open, /dev/nvidia0 three times and
// /dev/nvidia-uvm twice, two eventfds and two pipes.
//
// Assumptions: only one GPU was measured, so what each further one takes is a guess; nvmlShutdown closes the files.
#ifndef PITCREW_SIM_FOOTPRINT_H
#define PITCREW_SIM_FOOTPRINT_H

enum { SIM_FOOTPRINT_BASE_MIB = 14, SIM_FOOTPRINT_MIB = 4 };

// Takes memory whose pages are all resident, and a thread, until the library is unloaded. Nothing where the memory of a
// GPU is zero. Under the library's lock.
void sim_footprint_take(unsigned mib_per_gpu, unsigned gpus);

// Opens the files that are not of a GPU, and closes all. Under the library's lock.
void sim_files_open(void);
void sim_files_close(void);
// Opens those of a GPU, once.
void sim_files_open_gpu(unsigned index, unsigned minor);

#endif
