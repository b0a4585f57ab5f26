/// gRPC over the unix sockets by which the kubelet, the container runtime and the agent meet.
@NullMarked
package dev.pitcrew.agent.sockets;

import org.jspecify.annotations.NullMarked;
