package dev.pitcrew.agent.host;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// By what a host is known.
sealed interface Recognition {
  boolean recognises(HostSigns host, NodeMarks node);

  /// One of the values of a key of os-release.
  record Release(String key, Set<String> values) implements Recognition {
    @Override
    public boolean recognises(HostSigns host, NodeMarks node) {
      return values.contains(host.release().value(key));
    }
  }

  /// A file or folder that is there.
  record Mark(String path) implements Recognition {
    @Override
    public boolean recognises(HostSigns host, NodeMarks node) {
      return host.marks().contains(path);
    }
  }

  /// A label of the Node whose key begins so.
  record Label(String prefix) implements Recognition {
    @Override
    public boolean recognises(HostSigns host, NodeMarks node) {
      return node.hasLabelBelow(prefix);
    }
  }

  /// How `spec.providerID` of the Node begins.
  record Provider(String prefix) implements Recognition {
    @Override
    public boolean recognises(HostSigns host, NodeMarks node) {
      return node.provider().startsWith(prefix);
    }
  }

  record AllOf(List<Recognition> parts) implements Recognition {
    @Override
    public boolean recognises(HostSigns host, NodeMarks node) {
      return parts.stream().allMatch(part -> part.recognises(host, node));
    }
  }

  record AnyOf(List<Recognition> parts) implements Recognition {
    @Override
    public boolean recognises(HostSigns host, NodeMarks node) {
      return parts.stream().anyMatch(part -> part.recognises(host, node));
    }
  }

  static Recognition os(String... ids) {
    return new Release("ID", Set.of(ids));
  }

  static Recognition variant(String id) {
    return new Release("VARIANT_ID", Set.of(id));
  }

  static Recognition mark(String path) {
    return new Mark(path);
  }

  static Recognition label(String prefix) {
    return new Label(prefix);
  }

  static Recognition provider(String prefix) {
    return new Provider(prefix);
  }

  static Recognition all(Recognition... parts) {
    return new AllOf(List.of(parts));
  }

  static Recognition any(Recognition... parts) {
    return new AnyOf(List.of(parts));
  }

  /// The files that have to be looked for.
  default Stream<String> marks() {
    return switch (this) {
      case Mark(String path) -> Stream.of(path);
      case AllOf(List<Recognition> parts) -> parts.stream().flatMap(Recognition::marks);
      case AnyOf(List<Recognition> parts) -> parts.stream().flatMap(Recognition::marks);
      case Release _, Label _, Provider _ -> Stream.empty();
    };
  }
}
