@NullMarked
package dev.pitcrew.hardware.driver;

import org.jspecify.annotations.NullMarked;
