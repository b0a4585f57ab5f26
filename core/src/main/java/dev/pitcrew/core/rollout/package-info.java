/// What operator and kubectl plugin both say of a roll-out of drivers.
@NullMarked
package dev.pitcrew.core.rollout;

import org.jspecify.annotations.NullMarked;
