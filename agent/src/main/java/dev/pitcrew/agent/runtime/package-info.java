/// The container runtime of the node: reads its files, has the plans of
/// [dev.pitcrew.agent.runtime.plan] judged by the runtime itself, carries them out and takes them
/// back. It restarts a runtime only where bytes differ, and never touches a running container.
@NullMarked
package dev.pitcrew.agent.runtime;

import org.jspecify.annotations.NullMarked;
