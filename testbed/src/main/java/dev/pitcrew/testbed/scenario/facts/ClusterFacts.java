package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/// All facts of a cluster: one entry `Kind/name` for each object that the operator made or marks.
public final class ClusterFacts {
  private static final Set<String> NAMESPACE_LABEL_DOMAINS =
      Set.of("pod-security.kubernetes.io", "openshift.io", "resource.kubernetes.io");

  /// Reduces what was read to facts; digests that `recording` does not know yet get their numbers.
  public static ObjectNode of(ClusterObjects objects, Recording recording) {
    var names =
        StableNames.of(
            objects.of(RecordedKind.DAEMON_SET).stream()
                .filter(object -> !Background.isBackground(RecordedKind.DAEMON_SET, object))
                .toList());
    var facts = JsonNodeFactory.instance.objectNode();
    for (var kind : RecordedKind.values()) {
      for (var object : objects.of(kind)) {
        if (!Background.isBackground(kind, object)) {
          var name = names.in(MetadataFacts.name(object));
          facts.set(kind.kind() + "/" + name, KindFacts.of(kind, object, name, recording));
        }
      }
    }
    if (objects.namespace().isObject()) {
      facts.set("Namespace/<ns>", namespace(objects.namespace()));
    }
    return (ObjectNode) names.in(facts);
  }

  private static JsonNode namespace(JsonNode namespace) {
    var labels =
        MetadataFacts.texts(
            namespace.at("/metadata/labels"),
            key -> NAMESPACE_LABEL_DOMAINS.contains(domain(key)),
            LongText::shortened);
    var facts = JsonNodeFactory.instance.objectNode();
    facts.set("labels", labels);
    return facts;
  }

  /// The part of a label's or annotation's key before the first slash.
  static String domain(String key) {
    var slash = key.indexOf('/');
    return slash < 0 ? key : key.substring(0, slash);
  }

  private ClusterFacts() {}
}
