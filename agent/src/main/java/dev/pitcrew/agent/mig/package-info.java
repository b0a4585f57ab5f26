/// The MIG layout of a node: `MigController` applies what the label of the Node asks for.
@NullMarked
package dev.pitcrew.agent.mig;

import org.jspecify.annotations.NullMarked;
