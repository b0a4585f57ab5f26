/// Takes away what an uninstall would leave behind, before the operator itself goes: the custom
/// resources, and with them, by owner reference, the DaemonSets. Labels on nodes are the operator's
/// to take back, which is why it has to run meanwhile. Definitions stay unless the user wants them
/// gone.
@NullMarked
package dev.pitcrew.operator.runtime.cleanup;

import org.jspecify.annotations.NullMarked;
