/// How the nodes of a cluster are counted: the operator, the agents and the kubectl plugin go by
/// the same rules.
@NullMarked
package dev.pitcrew.core.fleet;

import org.jspecify.annotations.NullMarked;
