/// Binds GPUs to the kernel's drivers for virtual machines (VFIO), and unbinds them, by the files
/// of sysfs.
@NullMarked
package dev.pitcrew.agent.vfio;

import org.jspecify.annotations.NullMarked;
