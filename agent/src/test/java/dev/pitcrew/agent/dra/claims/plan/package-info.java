@NullMarked
package dev.pitcrew.agent.dra.claims.plan;

import org.jspecify.annotations.NullMarked;
