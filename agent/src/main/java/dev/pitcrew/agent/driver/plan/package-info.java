/// What becomes of a node whose driver pod starts: a pure function of what was seen. It reads no
/// file, no cluster and no clock.
@NullMarked
package dev.pitcrew.agent.driver.plan;

import org.jspecify.annotations.NullMarked;
