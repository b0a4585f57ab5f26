/// What Prometheus makes of metrics, rules and queries, by its own word.
@NullMarked
package dev.pitcrew.testbed.prometheus;

import org.jspecify.annotations.NullMarked;
