/// What the hardware of one node said at one moment, as plain records. Nothing here decides what is
/// done with a GPU.
@NullMarked
package dev.pitcrew.device.inventory;

import org.jspecify.annotations.NullMarked;
