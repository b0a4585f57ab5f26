/// Tables, chains, JSON and YAML. The only place that writes to the terminal, so that no control
/// character of a name or message reaches it.
@NullMarked
package dev.pitcrew.cli.print;

import org.jspecify.annotations.NullMarked;
