/// Log lines as log collectors for the NVIDIA GPU Operator expect them: one JSON object a line with
/// `level`, `ts`, `logger` and `msg`, chosen by the same `--zap-*` flags. It depends on
/// java.util.logging alone; code may log through any facade.
@NullMarked
package dev.pitcrew.core.log;

import org.jspecify.annotations.NullMarked;
