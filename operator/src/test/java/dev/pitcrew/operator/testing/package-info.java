/// Words in which the tests of rendering and planning speak: a policy as YAML, a cluster in a few
/// calls, and the pods that come out of both.
@NullMarked
package dev.pitcrew.operator.testing;

import org.jspecify.annotations.NullMarked;
