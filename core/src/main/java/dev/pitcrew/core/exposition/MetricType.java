package dev.pitcrew.core.exposition;

/// What the samples of a metric are.
public enum MetricType {
  GAUGE,
  COUNTER,
  HISTOGRAM
}
