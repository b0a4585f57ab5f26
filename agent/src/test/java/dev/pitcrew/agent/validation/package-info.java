@NullMarked
package dev.pitcrew.agent.validation;

import org.jspecify.annotations.NullMarked;
