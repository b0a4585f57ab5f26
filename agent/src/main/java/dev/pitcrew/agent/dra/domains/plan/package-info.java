/// Decides about claims for ComputeDomains.
@NullMarked
package dev.pitcrew.agent.dra.domains.plan;

import org.jspecify.annotations.NullMarked;
