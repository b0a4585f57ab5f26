package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which feature labels to write on a node where NFD may be at work.
public final class Coexistence {
  /// Annotation of a Node that lists what NFD's master has labelled.
  public static final String OWNED_LABELS = "nfd.node.kubernetes.io/feature-labels";

  private Coexistence() {}

  /// The desired labels that are not NFD's. A key that NFD owns stays its own, also where it says
  /// something else: two writers would take turns.
  ///
  /// @param ownedLabels the value of the annotation; an empty text where there is none
  public static SortedMap<String, String> toWrite(
      SortedMap<String, String> desired, String ownedLabels, DiscoveryMode mode) {
    var labels = new TreeMap<>(desired);
    switch (mode) {
      case NATIVE -> {}
      case NFD -> labels.keySet().removeIf(key -> key.startsWith(NodeLabels.FEATURE_PREFIX));
      case AUTO -> labels.keySet().removeAll(owned(ownedLabels));
    }
    return Collections.unmodifiableSortedMap(labels);
  }

  /// NFD leaves out its own prefix in the list.
  private static Set<String> owned(String annotation) {
    return Stream.of(annotation.split(","))
        .map(String::strip)
        .filter(key -> !key.isEmpty())
        .map(key -> key.contains("/") ? key : NodeLabels.FEATURE_PREFIX + key)
        .collect(Collectors.toSet());
  }
}
