@NullMarked
package dev.pitcrew.agent.vfio;

import org.jspecify.annotations.NullMarked;
