/// NVML, the driver's management library, through `java.lang.foreign`; the only package that
/// imports it.
///
/// A call runs on the thread that makes it and may never return: callers choose the thread. Newer
/// functions have their older forms as fallback, and a function that the library does not have is a
/// capability that is not there. Whatever the library returns is checked before it is believed.
@NullMarked
package dev.pitcrew.hardware.nvml;

import org.jspecify.annotations.NullMarked;
