/// Gives containers their devices while the runtime creates them: a plugin of the container
/// runtime's Node Resource Interface. What a container gets is decided by pure rules; how the
/// runtime is talked to, ttrpc over two connections on one socket, is here too.
@NullMarked
package dev.pitcrew.agent.nri;

import org.jspecify.annotations.NullMarked;
