/// What operator and kubectl plugin both say of a ClusterPolicy.
@NullMarked
package dev.pitcrew.core.policy;

import org.jspecify.annotations.NullMarked;
