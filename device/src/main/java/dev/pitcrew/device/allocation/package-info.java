/// Which of the available devices a container should rather get. Answers the kubelet's question for
/// a preferred allocation; what is allocated in the end is the kubelet's decision.
@NullMarked
package dev.pitcrew.device.allocation;

import org.jspecify.annotations.NullMarked;
