/// How values are written in the settings of the programs that Pitcrew replaces.
@NullMarked
package dev.pitcrew.core.text;

import org.jspecify.annotations.NullMarked;
