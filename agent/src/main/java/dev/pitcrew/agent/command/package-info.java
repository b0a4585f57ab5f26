/// The command line of the node agent: flags in, one function of the node carried out, the result
/// printed or written. Decides nothing itself.
@NullMarked
package dev.pitcrew.agent.command;

import org.jspecify.annotations.NullMarked;
