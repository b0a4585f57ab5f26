/// The node agent as a process: sources write what they find on a board, concerns read the board
/// and act. No concern knows another; what one of them learns is on the board for all.
@NullMarked
package dev.pitcrew.agent.process;

import org.jspecify.annotations.NullMarked;
