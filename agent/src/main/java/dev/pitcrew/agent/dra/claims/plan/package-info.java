/// What a ResourceClaim asks of the node, and the text of the checkpoint: pure functions.
@NullMarked
package dev.pitcrew.agent.dra.claims.plan;

import org.jspecify.annotations.NullMarked;
