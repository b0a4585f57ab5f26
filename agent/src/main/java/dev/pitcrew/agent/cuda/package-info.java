/// Proves that the GPUs of this node compute, each in a child process that is killed at its
/// deadline, ends with its parent, and is the first that the kernel ends where memory runs out. It
/// claims no GPU: what others use up is proof enough.
@NullMarked
package dev.pitcrew.agent.cuda;

import org.jspecify.annotations.NullMarked;
