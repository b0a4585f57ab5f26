/// The GPUs of the node as one inventory, and what happens to them as events.
///
/// Each GPU has a thread of its own for all calls about it, so that one that hangs holds up neither
/// its callers nor the others. What is read becomes records of the module `device`; nothing here
/// decides what is done with a GPU.
@NullMarked
package dev.pitcrew.hardware.gpu;

import org.jspecify.annotations.NullMarked;
