/// The files and device nodes of the driver: where they lie, under which of them containers expect
/// them, and nothing of what is made of that. Only files are read, all of them below a root that is
/// given in; no link leads out of it.
@NullMarked
package dev.pitcrew.hardware.driver;

import org.jspecify.annotations.NullMarked;
