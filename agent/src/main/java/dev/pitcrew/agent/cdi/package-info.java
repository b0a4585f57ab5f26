/// Specifications of the Container Device Interface: what a container is given when it asks for a
/// GPU by name. They are a pure function of the inventory, the driver's files and a few options,
/// and are written to `/var/run/cdi` only when they differ from what lies there.
///
/// Nothing here asks a GPU or decides which container gets which device.
@NullMarked
package dev.pitcrew.agent.cdi;

import org.jspecify.annotations.NullMarked;
