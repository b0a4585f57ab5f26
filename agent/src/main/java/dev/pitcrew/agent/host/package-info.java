/// The node around its GPUs: where its files and its driver are, the facts for its labels, and what
/// another program or user has set up, which is left alone. Read-only.
@NullMarked
package dev.pitcrew.agent.host;

import org.jspecify.annotations.NullMarked;
