/// The PCI functions of the node as sysfs shows them, and what their configuration space says.
@NullMarked
package dev.pitcrew.hardware.pci;

import org.jspecify.annotations.NullMarked;
