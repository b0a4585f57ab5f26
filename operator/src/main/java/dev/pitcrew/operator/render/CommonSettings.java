package dev.pitcrew.operator.render;

import static java.util.Objects.requireNonNullElse;

import dev.pitcrew.api.DaemonsetsSpec;
import dev.pitcrew.api.node.AgentMarks;
import dev.pitcrew.core.digest.Fnv32a;
import dev.pitcrew.operator.cluster.ClusterFacts;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategyBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What all operands share, as two ordered lists: laid under an operand's own settings, and over
/// them.
public final class CommonSettings {
  /// Where driver containers put the driver; moved with `hostPaths.driverInstallDir`.
  public static final String DRIVER_DIRECTORY = "/run/nvidia/driver";

  // Zero would never replace a pod: the API server refuses it, as it does more than all nodes.
  private static final Pattern MAX_UNAVAILABLE =
      Pattern.compile("0*[1-9]\\d{0,8}|0*([1-9]\\d?|100)%");
  private static final Set<String> LABELS_OF_OURS = Set.of("app", "app.kubernetes.io/part-of");

  private static final List<Setting> UNDER =
      List.of(
          CommonSettings::tolerateGpuTaint,
          CommonSettings::updateStrategy,
          CommonSettings::priorityClass,
          CommonSettings::tolerations,
          CommonSettings::podSecurity,
          CommonSettings::hostRoot,
          CommonSettings::driverDirectory,
          CommonSettings::kubeletDirectory);

  /// With whatever value and effect a FleetPolicy gives them.
  private static final List<Toleration> TAINTS_OF_AGENTS =
      Stream.of(AgentMarks.NOT_READY, AgentMarks.UNHEALTHY)
          .map(key -> new TolerationBuilder().withKey(key).withOperator("Exists").build())
          .toList();

  private CommonSettings() {}

  /// Whether pods were made to tolerate what agents taint nodes with.
  public static boolean tolerateTaintsOfAgents(PodSpec pods) {
    return requireNonNullElse(pods.getTolerations(), List.<Toleration>of())
        .containsAll(TAINTS_OF_AGENTS);
  }

  /// Checks of the settings that all operands share.
  public static Optional<Problem> problem(RenderContext context) {
    String wanted = maxUnavailable(context);
    if (wanted.isEmpty() || isOnDelete(context) || MAX_UNAVAILABLE.matcher(wanted).matches()) {
      return Optional.empty();
    }
    return Optional.of(
        Problem.of(
            "SpecInvalid",
            "spec.daemonsets.rollingUpdate.maxUnavailable",
            wanted,
            "give a number of nodes such as 1, or a percentage such as 10%"));
  }

  /// Lays the shared settings under an operand's shape.
  public static DaemonSetDraft under(DaemonSetDraft shape, RenderContext context) {
    UNDER.forEach(setting -> setting.apply(shape, context));
    return shape;
  }

  /// Lays the shared metadata over a configured draft and builds it.
  public static DaemonSet finish(DaemonSetDraft draft, RenderContext context) {
    return finish(draft, context.spec().daemonsets(), context.facts());
  }

  /// The same with the settings of DaemonSets of any resource.
  public static DaemonSet finish(
      DaemonSetDraft draft, DaemonsetsSpec settings, ClusterFacts facts) {
    podMetadata(draft, settings);
    settings.labels().forEach(draft::label);
    settings.annotations().forEach(draft::annotation);
    tolerateTaintsOfAgents(draft, facts);
    DaemonSet built = draft.build(facts.namespace());
    // Tools of the field look for this annotation; its value only has to change when the DaemonSet
    // does.
    return new DaemonSetBuilder(built)
        .editMetadata()
        .addToAnnotations("nvidia.com/last-applied-hash", Fnv32a.decimal(ApiObjects.json(built)))
        .endMetadata()
        .build();
  }

  private static void tolerateGpuTaint(DaemonSetDraft draft, RenderContext context) {
    draft
        .priorityClass("system-node-critical")
        .tolerations(
            List.of(
                new TolerationBuilder()
                    .withKey("nvidia.com/gpu")
                    .withOperator("Exists")
                    .withEffect("NoSchedule")
                    .build()));
  }

  private static void updateStrategy(DaemonSetDraft draft, RenderContext context) {
    if (isOnDelete(context)) {
      draft.updateStrategy(new DaemonSetUpdateStrategyBuilder().withType("OnDelete").build());
      return;
    }
    String limit = maxUnavailable(context);
    // Replacing a driver pod unloads the driver under the node's workload: only the upgrade
    // controller does that.
    if (limit.isEmpty() || draft.name().startsWith("nvidia-driver-daemonset")) {
      return;
    }
    draft.updateStrategy(
        new DaemonSetUpdateStrategyBuilder()
            .withType("RollingUpdate")
            .withNewRollingUpdate()
            .withMaxUnavailable(
                limit.endsWith("%")
                    ? new IntOrString(limit)
                    : new IntOrString(Integer.valueOf(limit)))
            .endRollingUpdate()
            .build());
  }

  private static boolean isOnDelete(RenderContext context) {
    return "OnDelete".equals(context.spec().daemonsets().updateStrategy());
  }

  private static String maxUnavailable(RenderContext context) {
    return requireNonNullElse(context.spec().daemonsets().rollingUpdate().maxUnavailable(), "");
  }

  private static void priorityClass(DaemonSetDraft draft, RenderContext context) {
    String priorityClass = context.spec().daemonsets().priorityClassName();
    if (priorityClass != null && !priorityClass.isEmpty()) {
      draft.priorityClass(priorityClass);
    }
  }

  private static void tolerations(DaemonSetDraft draft, RenderContext context) {
    List<Toleration> wanted = tolerations(context.spec().daemonsets());
    if (!wanted.isEmpty()) {
      draft.tolerations(wanted);
    }
  }

  /// Tolerations that a user gives to the pods of every operand.
  public static List<Toleration> tolerations(DaemonsetsSpec settings) {
    return settings.tolerations().stream()
        .map(given -> ApiObjects.convert(given, Toleration.class))
        .toList();
  }

  private static void podSecurity(DaemonSetDraft draft, RenderContext context) {
    OperandSettings.podSecurity(draft, context.spec().daemonsets().podSecurityContext());
  }

  private static void hostRoot(DaemonSetDraft draft, RenderContext context) {
    String root = requireNonNullElse(context.spec().hostPaths().rootFS(), "");
    if (root.isEmpty() || root.equals("/")) {
      return;
    }
    draft.moveHostPath("host-dev-char", root.replaceFirst("/+$", "") + "/dev/char");
    if (draft.hostPathOf("host-root").isPresent()) {
      draft.moveHostPath("host-root", root);
      // A container that fixes HOST_ROOT means its own mount of the host, not the host's path.
      draft
          .allContainers()
          .filter(container -> container.envValue("HOST_ROOT", "").isEmpty())
          .forEach(container -> container.env("HOST_ROOT", root));
    }
  }

  private static void driverDirectory(DaemonSetDraft draft, RenderContext context) {
    String directory = requireNonNullElse(context.spec().hostPaths().driverInstallDir(), "");
    String volume = "driver-install-dir";
    if (directory.isEmpty()
        || directory.equals(DRIVER_DIRECTORY)
        || draft.hostPathOf(volume).isEmpty()) {
      return;
    }
    draft.moveHostPath(volume, directory);
    if (draft.has("driver-validation")) {
      draft
          .find("driver-validation")
          .env("DRIVER_INSTALL_DIR", directory)
          .env("DRIVER_INSTALL_DIR_CTR_PATH", directory)
          .moveMount(volume, directory);
    }
  }

  private static void kubeletDirectory(DaemonSetDraft draft, RenderContext context) {
    draft.moveHostPath(
        "pod-gpu-resources",
        context.spec().hostPaths().kubeletRootDirOrDefault() + "/pod-resources");
  }

  private static void podMetadata(DaemonSetDraft draft, DaemonsetsSpec settings) {
    podLabels(settings)
        .forEach((key, value) -> {
          if (!draft.isSelectedBy(key)) {
            draft.podLabel(key, value);
          }
        });
    settings.annotations().forEach(draft::podAnnotation);
  }

  /// Labels that a user gives to the pods of every operand.
  public static Map<String, String> podLabels(DaemonsetsSpec settings) {
    var labels = new LinkedHashMap<>(settings.labels());
    labels.keySet().removeAll(LABELS_OF_OURS);
    return labels;
  }

  /// A node waits for these pods, the driver's first, to lose the taint; and what is unhealthy on
  /// it is looked after by them.
  private static void tolerateTaintsOfAgents(DaemonSetDraft draft, ClusterFacts facts) {
    if (facts.tainting()) {
      draft.addTolerations(TAINTS_OF_AGENTS.stream().filter(it -> !draft.tolerates(it)).toList());
    }
  }
}
