@NullMarked
package dev.pitcrew.operator;

import org.jspecify.annotations.NullMarked;
