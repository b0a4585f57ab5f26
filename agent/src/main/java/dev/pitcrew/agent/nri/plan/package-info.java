/// Which containers get which devices. Pure.
@NullMarked
package dev.pitcrew.agent.nri.plan;

import org.jspecify.annotations.NullMarked;
