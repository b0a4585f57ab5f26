package dev.pitcrew.kube.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.util.List;
import java.util.function.UnaryOperator;

/// What caches leave out of an object as it arrives. The functions change the object that they are
/// given: it has just been read from the wire, and nobody else holds it.
public final class Slim {

  private Slim() {}

  /// Keeps who wrote an object (manager, operation, subresource, API version) and drops which
  /// fields and when: the field sets are often the larger half of an object.
  public static <T extends HasMetadata> UnaryOperator<T> managers() {
    return object -> {
      List<ManagedFieldsEntry> entries = object.getMetadata().getManagedFields();
      entries.forEach(Slim::keepManager);
      return object;
    };
  }

  private static void keepManager(ManagedFieldsEntry entry) {
    entry.setFieldsV1(null);
    entry.setFieldsType(null);
    entry.setTime(null);
  }
}
