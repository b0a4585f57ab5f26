/// Which of the device plugin and the DRA driver serves a GPU: pure decisions.
@NullMarked
package dev.pitcrew.agent.dra.plan;

import org.jspecify.annotations.NullMarked;
