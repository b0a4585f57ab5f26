/// The DRA driver `gpu.nvidia.com` of the node: which GPUs are allocated by ResourceClaims, and the
/// kubelet's calls about these.
@NullMarked
package dev.pitcrew.agent.dra;

import org.jspecify.annotations.NullMarked;
