/// Which pods may be evicted from a node, and what the API server's answer to an eviction means.
/// Pure: the runtime asks the API server. Nothing here knows why a pod has to go.
@NullMarked
package dev.pitcrew.operator.eviction;

import org.jspecify.annotations.NullMarked;
