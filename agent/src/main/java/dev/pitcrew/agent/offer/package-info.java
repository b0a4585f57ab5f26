/// Offers the GPUs of a snapshot to the kubelet: first the CDI specifications, since a container
/// may be started by their names at once, then the lists of the device plugins.
@NullMarked
package dev.pitcrew.agent.offer;

import org.jspecify.annotations.NullMarked;
