@NullMarked
package dev.pitcrew.testbed;

import org.jspecify.annotations.NullMarked;
