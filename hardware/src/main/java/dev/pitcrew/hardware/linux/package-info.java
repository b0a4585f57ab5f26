/// Events that the kernel sends: devices and modules that come and go, files that appear. They are
/// only ever a hint to look; nothing that an event says is trusted.
@NullMarked
package dev.pitcrew.hardware.linux;

import org.jspecify.annotations.NullMarked;
