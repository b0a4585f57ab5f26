@NullMarked
package dev.pitcrew.agent.vfio.plan;

import org.jspecify.annotations.NullMarked;
