@NullMarked
package dev.pitcrew.agent.driver.plan;

import org.jspecify.annotations.NullMarked;
