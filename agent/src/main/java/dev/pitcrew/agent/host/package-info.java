/// What the node around its GPUs is: where its files and its driver are, and the facts that labels
/// tell of. Read-only.
@NullMarked
package dev.pitcrew.agent.host;

import org.jspecify.annotations.NullMarked;
