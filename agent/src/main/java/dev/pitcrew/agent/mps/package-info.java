/// Sharing by MPS as the agent sees it. The control daemons and their supervisor run in a separate
/// pod, so that a restart of the agent takes no client its context. Here is their configuration
/// ([dev.pitcrew.agent.mps.DaemonFile]), and what is known of them: from the marks that they leave
/// in their folder, or by asking a daemon itself. Nothing here starts or ends one.
@NullMarked
package dev.pitcrew.agent.mps;

import org.jspecify.annotations.NullMarked;
