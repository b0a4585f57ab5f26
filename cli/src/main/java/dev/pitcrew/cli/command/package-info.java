/// The command line of `kubectl gpu`.
@NullMarked
package dev.pitcrew.cli.command;

import org.jspecify.annotations.NullMarked;
