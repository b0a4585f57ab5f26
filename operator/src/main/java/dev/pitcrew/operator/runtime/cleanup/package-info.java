/// Takes away what an uninstall would leave behind, before the operator itself goes: the custom
/// resources, with them, by owner reference, the DaemonSets, and the labels on nodes. Definitions
/// stay unless the user wants them gone.
@NullMarked
package dev.pitcrew.operator.runtime.cleanup;

import org.jspecify.annotations.NullMarked;
