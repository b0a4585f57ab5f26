/// What makes a node ready for another driver, and leaves alone one that has the right one: the
/// work of the driver pod's first container. It takes the driver's users off the node by labels and
/// waits for them; it evicts nobody.
@NullMarked
package dev.pitcrew.agent.driver;

import org.jspecify.annotations.NullMarked;
