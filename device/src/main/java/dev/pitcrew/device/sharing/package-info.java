/// How the devices of a node are named and shared, as the device plugin's configuration says
/// (`resources`, `sharing`, `migStrategy`).
@NullMarked
package dev.pitcrew.device.sharing;

import org.jspecify.annotations.NullMarked;
