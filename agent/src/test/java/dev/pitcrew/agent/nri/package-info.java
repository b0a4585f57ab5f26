@NullMarked
package dev.pitcrew.agent.nri;

import org.jspecify.annotations.NullMarked;
