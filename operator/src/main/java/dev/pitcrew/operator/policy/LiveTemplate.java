package dev.pitcrew.operator.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Keeps the live pod template where it differs from the rendered one in form only. The DaemonSet
/// controller compares the bytes: a list in another order is a new ControllerRevision, for which it
/// replaces every pod, or counts it as outdated under OnDelete. The NVIDIA GPU Operator, and each
/// release of it and of ours, write the same template in another form.
///
/// 1. Variables, volumes and mounts are sent in the live order. Variables that refer to others
///    (`$(NAME)`) keep the rendered order, which matters there.
/// 2. Shell scripts, and the affinity of drivers, mean the same as NVIDIA's in other words. Where
///    nothing else of the template differs, the live ones are kept, and the annotation
///    `pitcrew.dev/kept-texts` has their digest.
/// 3. Any other change applies the rendered texts as well. A kept text that was edited by hand does
///    not match its digest, and the rendered one is applied.
public final class LiveTemplate {
  /// On a DaemonSet: the digest of the live texts that were kept.
  public static final String KEPT_TEXTS = "pitcrew.dev/kept-texts";

  /// By which an operator knows that it has written the object as rendered now.
  private static final String WRITTEN = "nvidia.com/last-applied-hash";

  /// The component that drivers keep off their nodes, and the one that the NVIDIA GPU Operator
  /// names in its place, which no pod has.
  private static final String HOST_MANAGER = "nvidia-vgpu-host-manager";

  private static final String OLD_HOST_MANAGER = "nvidia-vgpu-manager";

  private static final Pattern SHELL_OPTION = Pattern.compile("-[a-z]*c");
  private static final String REFERENCE = "$(";

  private LiveTemplate() {}

  /// What to apply in place of the rendered DaemonSet: the same object where there is nothing to
  /// keep.
  public static DaemonSet keep(DaemonSet rendered, DaemonSet live) {
    PodSpec lives = spec(live);
    DaemonSet ordered = with(rendered, inOrder(spec(rendered), lives));
    PodSpec kept = withTexts(spec(ordered), lives);
    if (kept.equals(spec(ordered))) {
      return ordered;
    }
    String digest = digest(kept);
    boolean isKnown =
        digest.equals(annotation(live, KEPT_TEXTS))
            || !Objects.equals(annotation(rendered, WRITTEN), annotation(live, WRITTEN));
    return isKnown && says(live, with(ordered, kept))
        ? new DaemonSetBuilder(with(ordered, kept))
            .editMetadata()
            .addToAnnotations(KEPT_TEXTS, digest)
            .endMetadata()
            .build()
        : ordered;
  }

  private static PodSpec inOrder(PodSpec rendered, PodSpec live) {
    List<Volume> volumes = inOrder(rendered.getVolumes(), live.getVolumes(), Volume::getName);
    List<Container> first =
        each(rendered.getInitContainers(), live.getInitContainers(), LiveTemplate::inOrder);
    List<Container> containers =
        each(rendered.getContainers(), live.getContainers(), LiveTemplate::inOrder);
    return volumes.equals(rendered.getVolumes())
            && first.equals(rendered.getInitContainers())
            && containers.equals(rendered.getContainers())
        ? rendered
        : rendered.toBuilder()
            .withVolumes(volumes)
            .withInitContainers(first)
            .withContainers(containers)
            .build();
  }

  private static Container inOrder(Container rendered, Container live) {
    List<EnvVar> variables =
        rendered.getEnv().stream().anyMatch(LiveTemplate::refers)
            ? rendered.getEnv()
            : inOrder(rendered.getEnv(), live.getEnv(), EnvVar::getName);
    List<VolumeMount> mounts =
        inOrder(rendered.getVolumeMounts(), live.getVolumeMounts(), VolumeMount::getMountPath);
    return variables.equals(rendered.getEnv()) && mounts.equals(rendered.getVolumeMounts())
        ? rendered
        : new ContainerBuilder(rendered).withEnv(variables).withVolumeMounts(mounts).build();
  }

  private static boolean refers(EnvVar variable) {
    return variable.getValue() != null && variable.getValue().contains(REFERENCE);
  }

  /// As rendered where both do not have the same keys.
  private static <T> List<T> inOrder(List<T> rendered, List<T> live, Function<T, String> key) {
    Map<String, Integer> places = new HashMap<>();
    live.forEach(item -> places.put(key.apply(item), places.size()));
    List<String> keys = rendered.stream().map(key).toList();
    boolean hasSameKeys =
        places.size() == live.size()
            && keys.size() == places.size()
            && places.keySet().containsAll(keys);
    return !hasSameKeys || keys.equals(live.stream().map(key).toList())
        ? rendered
        : rendered.stream()
            .sorted(Comparator.comparing(item -> places.get(key.apply(item))))
            .toList();
  }

  private static PodSpec withTexts(PodSpec rendered, PodSpec live) {
    List<Container> first =
        each(rendered.getInitContainers(), live.getInitContainers(), LiveTemplate::withScript);
    List<Container> containers =
        each(rendered.getContainers(), live.getContainers(), LiveTemplate::withScript);
    Affinity affinity =
        namesOldComponent(live.getAffinity(), rendered.getAffinity())
            ? live.getAffinity()
            : rendered.getAffinity();
    return first.equals(rendered.getInitContainers())
            && containers.equals(rendered.getContainers())
            && Objects.equals(affinity, rendered.getAffinity())
        ? rendered
        : rendered.toBuilder()
            .withInitContainers(first)
            .withContainers(containers)
            .withAffinity(affinity)
            .build();
  }

  private static boolean namesOldComponent(@Nullable Affinity live, @Nullable Affinity rendered) {
    return rendered != null
        && !rendered.equals(live)
        && tree(rendered)
            .toString()
            .replace(HOST_MANAGER, OLD_HOST_MANAGER)
            .equals(tree(live).toString());
  }

  private static Container withScript(Container rendered, Container live) {
    return isScript(rendered)
            && rendered.getCommand().equals(live.getCommand())
            && live.getArgs().size() == 1
            && !rendered.getArgs().equals(live.getArgs())
        ? new ContainerBuilder(rendered).withArgs(live.getArgs()).build()
        : rendered;
  }

  private static boolean isScript(Container container) {
    return !container.getCommand().isEmpty()
        && SHELL_OPTION.matcher(container.getCommand().getLast()).matches()
        && container.getArgs().size() == 1;
  }

  /// Changes each container by the live one of its name.
  private static List<Container> each(
      List<Container> rendered,
      List<Container> live,
      BiFunction<Container, Container, Container> change) {
    return rendered.stream()
        .map(container ->
            live.stream()
                .filter(it -> it.getName().equals(container.getName()))
                .findFirst()
                .map(it -> change.apply(container, it))
                .orElse(container))
        .toList();
  }

  private static DaemonSet with(DaemonSet daemonSet, PodSpec pod) {
    return pod.equals(spec(daemonSet))
        ? daemonSet
        : new DaemonSetBuilder(daemonSet)
            .editSpec()
            .editTemplate()
            .withSpec(pod)
            .endTemplate()
            .endSpec()
            .build();
  }

  private static PodSpec spec(DaemonSet daemonSet) {
    return daemonSet.getSpec().getTemplate().getSpec();
  }

  private static @Nullable String annotation(DaemonSet daemonSet, String key) {
    Map<String, String> annotations = daemonSet.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(key);
  }

  private static String digest(PodSpec pod) {
    var texts = new StringBuilder().append(tree(pod.getAffinity()));
    Stream.of(pod.getInitContainers(), pod.getContainers())
        .flatMap(List::stream)
        .filter(LiveTemplate::isScript)
        .forEach(it -> texts.append('\n').append(it.getName()).append(tree(it.getArgs())));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(texts.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /// Whether the live template has all that is wanted, and no list of it has more. What it has
  /// besides are defaults of the API server.
  private static boolean says(DaemonSet live, DaemonSet wanted) {
    return has(tree(live.getSpec().getTemplate()), tree(wanted.getSpec().getTemplate()));
  }

  private static boolean has(JsonNode live, JsonNode wanted) {
    if (wanted.isObject()) {
      return wanted.properties().stream()
          .allMatch(field -> has(live.path(field.getKey()), field.getValue()));
    }
    if (wanted.isArray()) {
      if (live.size() != wanted.size()) {
        return false;
      }
      for (int at = 0; at < wanted.size(); at++) {
        if (!has(live.path(at), wanted.path(at))) {
          return false;
        }
      }
      return true;
    }
    return live.equals(wanted) || (live.isMissingNode() && isZero(wanted));
  }

  /// What the API server leaves out.
  private static boolean isZero(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> value.textValue().isEmpty();
      case NUMBER -> value.intValue() == 0;
      case BOOLEAN -> !value.booleanValue();
      case NULL -> true;
      default -> false;
    };
  }

  private static JsonNode tree(@Nullable Object part) {
    return KubernetesJson.MAPPER.valueToTree(part);
  }
}
