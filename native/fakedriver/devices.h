// Character devices of a simulated kernel: /proc/devices below a host root, and device nodes.
#ifndef PITCREW_FAKEDRIVER_DEVICES_H
#define PITCREW_FAKEDRIVER_DEVICES_H

// Registers a driver under a major number that is free and is not the one of its last load. As the kernel's
// alloc_chrdev_region does, but for the latter: between two loads of a real one another driver may take the number.
void device_register(const char *root, const char *name, int highest, int lowest);
// Registers a driver under the number that Linux keeps for it.
void device_register_fixed(const char *root, const char *name, int major);
void device_unregister(const char *root, const char *name);
// The nodes that nvidia-smi makes where it first runs: nvidiactl and one for each GPU, none of unified memory.
void device_nodes(const char *folder, int gpus);

#endif
