package dev.pitcrew.agent.metrics;

import java.util.Map;
import java.util.Optional;

/// What the kubelet does not report of the pods that hold devices.
public interface PodMarks {
  /// Nothing more is known.
  PodMarks UNKNOWN = (_, _) -> Optional.empty();

  record Marks(Map<String, String> labels) {
    public Marks {
      labels = Map.copyOf(labels);
    }
  }

  /// Empty for a pod that was not seen yet.
  Optional<Marks> of(String namespace, String pod);
}
