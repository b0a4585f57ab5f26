@NullMarked
package dev.pitcrew.agent.driver;

import org.jspecify.annotations.NullMarked;
