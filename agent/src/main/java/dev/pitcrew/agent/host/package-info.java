/// What the node around its GPUs is: where its files and its driver are, the facts that labels tell
/// of, and what of it somebody else has set up, which is left alone. Read-only.
@NullMarked
package dev.pitcrew.agent.host;

import org.jspecify.annotations.NullMarked;
