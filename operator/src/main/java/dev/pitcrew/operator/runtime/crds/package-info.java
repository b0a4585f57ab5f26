/// Installs and removes custom resource definitions, for Helm hooks and by hand. It touches
/// definitions only, never the objects of their kinds (which go with a definition that is deleted).
@NullMarked
package dev.pitcrew.operator.runtime.crds;

import org.jspecify.annotations.NullMarked;
