/// What must outlive the process, on the node's own disk: an agent that starts while the API server
/// is away goes on with what it was told last.
@NullMarked
package dev.pitcrew.agent.state;

import org.jspecify.annotations.NullMarked;
