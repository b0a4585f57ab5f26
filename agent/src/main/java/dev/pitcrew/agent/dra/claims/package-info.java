/// ResourceClaims that are prepared on the node: their checkpoint and their CDI specifications.
@NullMarked
package dev.pitcrew.agent.dra.claims;

import org.jspecify.annotations.NullMarked;
