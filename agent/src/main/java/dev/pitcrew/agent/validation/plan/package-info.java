/// What a node is validated against. Pure.
@NullMarked
package dev.pitcrew.agent.validation.plan;

import org.jspecify.annotations.NullMarked;
