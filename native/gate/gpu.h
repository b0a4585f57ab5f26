// Whether this node has an NVIDIA GPU, asked of the PCI bus, and how to hear that one came.
#pragma once

#include <stdbool.h>

enum { PCI_ADDRESS_BYTES = 32 };

// Display controllers (0x0300xx VGA, 0x0302xx 3D) and processing accelerators (0x12xxxx) of NVIDIA below
// `HOST_ROOT/sys/bus/pci/devices`. Gives the address of one. A bus that
// cannot be read may hold one, with the address `unknown`: clearing the labels of a GPU node would be worse.
bool gpu_is_present(const char *host_root, char address[PCI_ADDRESS_BYTES]);

// `vendor` and `class` as sysfs writes them: `0x10de`, `0x030200`.
bool gpu_is_gpu(const char *vendor, const char *class);
