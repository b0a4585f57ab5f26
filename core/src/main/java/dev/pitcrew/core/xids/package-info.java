/// What Xids mean: the facts that the agent judges GPUs by, and that the kubectl plugin explains.
@NullMarked
package dev.pitcrew.core.xids;

import org.jspecify.annotations.NullMarked;
