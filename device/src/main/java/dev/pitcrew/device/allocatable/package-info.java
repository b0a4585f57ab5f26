/// What of a node can be allocated: the resources, their devices and replicas, and what had to be
/// left out. Derived once from an inventory and its configuration, and read by everything that
/// names a device.
@NullMarked
package dev.pitcrew.device.allocatable;

import org.jspecify.annotations.NullMarked;
