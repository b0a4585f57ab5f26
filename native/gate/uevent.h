// The kernel's own announcements of devices, as a hint to look again.
#pragma once

#include <stdbool.h>

// A descriptor to poll, or -1 with errno set. Needs no right, and works in a container's own network
// namespace: the kernel sends PCI events to every one that belongs to the initial user namespace.
int uevent_open(void);

// Reads what has arrived. True when a device came to the PCI bus, or when something was lost. What an
// event says is not trusted: a forged one only makes the gate look at the bus once more.
bool uevent_is_pci(int socket);
