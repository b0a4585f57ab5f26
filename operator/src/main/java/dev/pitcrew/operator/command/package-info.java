/// The command line: reads flags and environment once, into plain records, and hands them to the
/// programs behind it. It knows no cluster and starts no thread.
///
/// Exit codes: 0 done, 1 failed (the reason is on standard error), 2 wrong usage.
@NullMarked
package dev.pitcrew.operator.command;

import org.jspecify.annotations.NullMarked;
