@NullMarked
package dev.pitcrew.core;

import org.jspecify.annotations.NullMarked;
