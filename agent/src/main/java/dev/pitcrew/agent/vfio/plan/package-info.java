/// Which driver hands a device to a virtual machine: pure.
@NullMarked
package dev.pitcrew.agent.vfio.plan;

import org.jspecify.annotations.NullMarked;
