/// The text format in which Prometheus reads metrics, for processes that carry no metrics library.
@NullMarked
package dev.pitcrew.core.exposition;

import org.jspecify.annotations.NullMarked;
