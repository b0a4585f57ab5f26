/// Whether the node works, and if not, why: named blockers of the driver, a table of checks and the
/// status files by which other operands learn of them. Verdicts are pure functions of facts that
/// the readers here gather; no GPU is claimed, no pod is made and nothing of the host is changed.
@NullMarked
package dev.pitcrew.agent.validation;

import org.jspecify.annotations.NullMarked;
