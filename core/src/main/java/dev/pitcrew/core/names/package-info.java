/// The names that users, dashboards and other programs know: labels, annotations, workload
/// configurations.
@NullMarked
package dev.pitcrew.core.names;

import org.jspecify.annotations.NullMarked;
