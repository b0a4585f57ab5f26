@NullMarked
package dev.pitcrew.hardware.cuda;

import org.jspecify.annotations.NullMarked;
