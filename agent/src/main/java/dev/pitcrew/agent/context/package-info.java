/// Where an agent runs: its node, its folders, and where the driver is.
@NullMarked
package dev.pitcrew.agent.context;

import org.jspecify.annotations.NullMarked;
