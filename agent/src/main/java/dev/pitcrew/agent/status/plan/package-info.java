/// What the agent reports of its node to the cluster: the status of its GPUNode, the labels of its
/// Node, and Events where either changed. It only decides what to write; it neither reads a clock
/// nor talks to the API server.
@NullMarked
package dev.pitcrew.agent.status.plan;

import org.jspecify.annotations.NullMarked;
