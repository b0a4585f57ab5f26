package dev.pitcrew.operator.node;

import dev.pitcrew.core.names.FieldManagers;
import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// Who wrote `nvidia.com/gpu.deploy.driver`, as the API server records per field: a program may
/// withdraw what a program set, but not what a user set.
final class DriverLabel {
  private static final String FIELD = "f:" + LabelSets.DRIVER;

  /// We, and the driver manager in the init container of a driver's pod, ours or NVIDIA's
  /// (specification: step 0 of `uninstall_driver`).
  private static final Set<String> PROGRAMS =
      Set.of(FieldManagers.OPERATOR, FieldManagers.DRIVER_MANAGER, "driver-manager");

  private static final ManagedFieldsEntry ENTRY =
      new ManagedFieldsEntryBuilder()
          .withManager(FieldManagers.OPERATOR)
          .withOperation("Update")
          .withFieldsV1(fields())
          .build();

  private DriverLabel() {}

  /// Whether programs wrote it, and no other writer claims it.
  static boolean isAutomatic(ObjectMeta metadata) {
    List<String> writers = writers(metadata).toList();
    return !writers.isEmpty() && PROGRAMS.containsAll(writers);
  }

  /// The little that has to be kept for [#isAutomatic] to say the same.
  static List<ManagedFieldsEntry> entries(ObjectMeta metadata) {
    return isAutomatic(metadata) ? List.of(ENTRY) : List.of();
  }

  private static Stream<String> writers(ObjectMeta metadata) {
    return Objects.requireNonNullElse(metadata.getManagedFields(), List.<ManagedFieldsEntry>of())
        .stream()
        .filter(DriverLabel::hasLabel)
        .map(entry -> Objects.requireNonNullElse(entry.getManager(), ""));
  }

  private static boolean hasLabel(ManagedFieldsEntry entry) {
    return entry.getFieldsV1() != null
        && entry.getFieldsV1().getAdditionalProperties().get("f:metadata")
            instanceof Map<?, ?> metadata
        && metadata.get("f:labels") instanceof Map<?, ?> labels
        && labels.containsKey(FIELD);
  }

  private static FieldsV1 fields() {
    var fields = new FieldsV1();
    fields.setAdditionalProperty("f:metadata", Map.of("f:labels", Map.of(FIELD, Map.of())));
    return fields;
  }
}
