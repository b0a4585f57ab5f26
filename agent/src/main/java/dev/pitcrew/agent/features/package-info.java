/// The feature labels of a node that a GPU operator reads, under the names and with the sanitising
/// rules of Node Feature Discovery (NFD), so that a cluster needs none. Pure: facts in, labels out.
@NullMarked
package dev.pitcrew.agent.features;

import org.jspecify.annotations.NullMarked;
