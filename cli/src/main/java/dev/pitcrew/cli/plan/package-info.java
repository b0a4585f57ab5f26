/// What the commands say, decided from what was read. Pure.
@NullMarked
package dev.pitcrew.cli.plan;

import org.jspecify.annotations.NullMarked;
