package dev.pitcrew.operator.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.ArrayList;
import java.util.List;

/// Everything that a policy brings is owned by it, so that it goes with it, even when the operator
/// is gone first.
public final class Ownership {
  private Ownership() {}

  public static <T extends HasMetadata> T own(T object, HasMetadata policy) {
    object.getMetadata().setOwnerReferences(List.of(reference(policy)));
    return object;
  }

  /// Makes an object that several need go only with the last of them.
  ///
  /// @param owners the first of them controls it, as only one can
  public static <T extends HasMetadata> T share(T object, List<? extends HasMetadata> owners) {
    var references = new ArrayList<OwnerReference>();
    for (HasMetadata owner : owners) {
      OwnerReference reference = reference(owner);
      reference.setController(references.isEmpty());
      references.add(reference);
    }
    object.getMetadata().setOwnerReferences(references);
    return object;
  }

  public static boolean owns(HasMetadata policy, HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            Boolean.TRUE.equals(owner.getController())
                && owner.getUid().equals(policy.getMetadata().getUid()));
  }

  private static OwnerReference reference(HasMetadata policy) {
    return new OwnerReferenceBuilder()
        .withApiVersion(policy.getApiVersion())
        .withKind(policy.getKind())
        .withName(policy.getMetadata().getName())
        .withUid(policy.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }
}
