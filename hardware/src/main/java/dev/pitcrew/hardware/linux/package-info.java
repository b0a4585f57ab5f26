/// What the kernel tells by itself: devices and modules that come and go, files that appear. It is
/// only ever a hint to look; nothing that an event says is believed.
@NullMarked
package dev.pitcrew.hardware.linux;

import org.jspecify.annotations.NullMarked;
