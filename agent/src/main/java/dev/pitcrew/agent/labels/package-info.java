/// Keeps the labels of the Node.
@NullMarked
package dev.pitcrew.agent.labels;

import org.jspecify.annotations.NullMarked;
