package dev.pitcrew.kube.apply;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A DaemonSet as we want it, as it is, and as others change it.
record DriverFixture(KubernetesClient client, String namespace) {

  static final String CPU_LIMIT = "0.5";
  private static final long LIMIT_SECONDS = 120;
  private static final String NAME = "driver";

  DaemonSet desired() {
    return desiredWithImage("driver:1");
  }

  DaemonSet desiredWithEnvironment(String name, String value) {
    return new DaemonSetBuilder(desired())
        .editSpec()
        .editTemplate()
        .editSpec()
        .editFirstContainer()
        .addNewEnv()
        .withName(name)
        .withValue(value)
        .endEnv()
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  DaemonSet desiredWithImage(String image) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(namespace)
        .addToLabels("app", NAME)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .addToMatchLabels("app", NAME)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels("app", NAME)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName(NAME)
        .withImage(image)
        .addNewEnv()
        .withName("KEPT")
        .withValue("1")
        .endEnv()
        .withNewResources()
        .addToLimits("cpu", new Quantity(CPU_LIMIT))
        .endResources()
        .endContainer()
        .addNewVolume()
        .withName("scratch")
        .withNewEmptyDir()
        .endEmptyDir()
        .endVolume()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  /// Waits until the DaemonSet's controller has written what it has to say.
  void awaitControllers() {
    resource().waitUntilCondition(DriverFixture::isObserved, LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private static boolean isObserved(DaemonSet set) {
    return set.getMetadata().getGeneration().equals(set.getStatus().getObservedGeneration());
  }

  Optional<DaemonSet> live() {
    return Optional.ofNullable(resource().get());
  }

  DaemonSetList list() {
    return client.apps().daemonSets().inNamespace(namespace).list();
  }

  void delete() {
    resource().withGracePeriod(0).delete();
  }

  /// Creates by update, as operators do that do not know server-side apply.
  void createAs(String manager, DaemonSet object) {
    client.raw(
        "/apis/apps/v1/namespaces/" + namespace + "/daemonsets?fieldManager=" + manager,
        "POST",
        object);
  }

  /// @param patch a strategic merge patch with single quotes
  void mergeAsSomeoneElse(String patch) {
    mergeAs("someone", patch);
  }

  void mergeAs(String manager, String patch) {
    PatchContext context =
        new PatchContext.Builder()
            .withPatchType(PatchType.STRATEGIC_MERGE)
            .withFieldManager(manager)
            .build();
    resource().patch(context, patch.replace('\'', '"'));
  }

  Map<String, String> labels() {
    return present().getMetadata().getLabels();
  }

  Map<String, String> annotations() {
    return present().getMetadata().getAnnotations();
  }

  String version() {
    return present().getMetadata().getResourceVersion();
  }

  long generation() {
    return present().getMetadata().getGeneration();
  }

  String image() {
    return container().getImage();
  }

  String cpuLimit() {
    return Objects.requireNonNull(container().getResources().getLimits().get("cpu")).toString();
  }

  List<String> environment() {
    return container().getEnv().stream().map(EnvVar::getName).toList();
  }

  List<String> managers() {
    return present().getMetadata().getManagedFields().stream()
        .map(entry -> entry.getManager() + ":" + entry.getOperation())
        .toList();
  }

  private Container container() {
    return present().getSpec().getTemplate().getSpec().getContainers().getFirst();
  }

  private DaemonSet present() {
    return live().orElseThrow();
  }

  private Resource<DaemonSet> resource() {
    return client.apps().daemonSets().inNamespace(namespace).withName(NAME);
  }
}
