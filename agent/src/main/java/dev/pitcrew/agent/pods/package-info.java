/// Which pods hold which devices, as the kubelet reports it.
@NullMarked
package dev.pitcrew.agent.pods;

import org.jspecify.annotations.NullMarked;
