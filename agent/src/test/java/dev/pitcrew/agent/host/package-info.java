@NullMarked
package dev.pitcrew.agent.host;

import org.jspecify.annotations.NullMarked;
