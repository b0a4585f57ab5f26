@NullMarked
package dev.pitcrew.agent.pods;

import org.jspecify.annotations.NullMarked;
