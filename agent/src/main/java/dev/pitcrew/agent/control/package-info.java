/// Controllers and what drives them: the state of the node in one store, a projection of it as the
/// input of each controller, and a loop that reconciles when the input has changed.
@NullMarked
package dev.pitcrew.agent.control;

import org.jspecify.annotations.NullMarked;
