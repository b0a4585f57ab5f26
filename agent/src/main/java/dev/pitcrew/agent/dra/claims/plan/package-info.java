/// What the preparation of a ResourceClaim decides: which devices a claim has, which settings apply
/// to each, what the checkpoint and the CDI file say. Functions of the claim and of a snapshot of
/// the node, without I/O and without a clock.
@NullMarked
package dev.pitcrew.agent.dra.claims.plan;

import org.jspecify.annotations.NullMarked;
