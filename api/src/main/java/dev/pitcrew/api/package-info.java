@NullMarked
package dev.pitcrew.api;

import org.jspecify.annotations.NullMarked;
