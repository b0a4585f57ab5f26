/// Log lines as log collectors for the reference operator expect them: one JSON object a line with
/// `level`, `ts`, `logger` and `msg`, chosen by the same `--zap-*` flags. It stands on
/// java.util.logging alone; code logs through whatever facade it likes.
@NullMarked
package dev.pitcrew.core.log;

import org.jspecify.annotations.NullMarked;
