@NullMarked
package dev.pitcrew.agent.dra.claims;

import org.jspecify.annotations.NullMarked;
