/// Hands GPUs over to the kernel's drivers for virtual machines (VFIO), and takes them back, by the
/// files of sysfs.
@NullMarked
package dev.pitcrew.agent.vfio;

import org.jspecify.annotations.NullMarked;
