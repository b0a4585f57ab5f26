/// Decides what NVIDIADrivers come to: which nodes each has, what is wrong with one of them and not
/// with the others, what must exist for each pool of its nodes, which running pods it takes over,
/// and what its status says. Pure: the runtime gathers the facts and carries the plan out.
@NullMarked
package dev.pitcrew.operator.driver;

import org.jspecify.annotations.NullMarked;
