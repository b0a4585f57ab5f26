/// Prepares a node for another driver, and leaves a node unchanged that has the right one: the work
/// of the driver pod's first container. It removes the driver's users from the node by labels and
/// waits for them; it evicts no pods.
@NullMarked
package dev.pitcrew.agent.driver;

import org.jspecify.annotations.NullMarked;
