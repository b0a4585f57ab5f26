/// What must outlive the process, on the node's own disk: an agent that starts while the API server
/// is away continues with its last configuration.
@NullMarked
package dev.pitcrew.agent.state;

import org.jspecify.annotations.NullMarked;
