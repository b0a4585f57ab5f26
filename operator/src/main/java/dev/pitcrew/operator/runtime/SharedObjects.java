package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.driver.DriverPlan;
import dev.pitcrew.operator.policy.Ownership;
import dev.pitcrew.operator.runtime.DriverReading.Planned;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;

/// What the pods of several NVIDIADrivers use together. It is owned by all of them, so that it goes
/// with the last.
///
/// @param wanted what there has to be
/// @param refused NVIDIADrivers that nothing is planned for; pods of theirs may run all the same
record SharedObjects(List<HasMetadata> wanted, List<GenericKubernetesResource> refused) {
  static final SharedObjects NONE = new SharedObjects(List.of(), List.of());

  static SharedObjects of(List<Planned> planned) {
    List<GenericKubernetesResource> all = planned.stream().map(Planned::resource).toList();
    List<HasMetadata> wanted = DriverPlan.shared(planned.stream().map(Planned::plan).toList());
    wanted.forEach(object -> Ownership.share(object, all));
    return new SharedObjects(
        wanted,
        planned.stream()
            .filter(it -> it.plan() instanceof DriverPlan.Refused)
            .map(Planned::resource)
            .toList());
  }

  /// Whether an object is needed by others than the NVIDIADriver that does not want it.
  boolean keeps(HasMetadata object) {
    ObjectKey key = ObjectKey.of(object);
    return wanted.stream().anyMatch(it -> ObjectKey.of(it).equals(key))
        || Owners.isAnyOwner(refused.stream(), object);
  }
}
