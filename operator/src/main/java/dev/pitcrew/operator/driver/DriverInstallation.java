package dev.pitcrew.operator.driver;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the pod of a driver installs on its node: two pods with equal ones leave the same driver
/// there, whatever resource they come from and whatever digest they carry.
///
/// @param files what is mounted into the driver container, by path
/// @param addons image and variables of the containers beside it, by name
record DriverInstallation(
    String image,
    List<String> command,
    List<String> arguments,
    SortedMap<String, String> variables,
    List<String> secrets,
    SortedMap<String, String> files,
    SortedMap<String, String> addons) {
  static final String DRIVER = "nvidia-driver-ctr";
  private static final String TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

  /// Variables that say nothing of the driver.
  private static final Set<String> INDIFFERENT =
      Set.of(Adoption.VARIABLE, "NVIDIA_VISIBLE_DEVICES", "HOST_ROOT");

  static Optional<DriverInstallation> of(PodSpec pod) {
    Map<String, Volume> volumes =
        pod.getVolumes().stream().collect(Collectors.toMap(Volume::getName, Function.identity()));
    return driver(pod)
        .map(driver ->
            new DriverInstallation(
                driver.getImage(),
                driver.getCommand(),
                driver.getArgs(),
                variables(driver),
                driver.getEnvFrom().stream().map(from -> from.getSecretRef().getName()).toList(),
                files(driver, volumes),
                addons(pod)));
  }

  static Optional<Container> driver(PodSpec pod) {
    return pod.getContainers().stream()
        .filter(container -> container.getName().equals(DRIVER))
        .findFirst();
  }

  private static SortedMap<String, String> variables(Container container) {
    return container.getEnv().stream()
        .filter(variable -> variable.getValueFrom() == null)
        .filter(variable -> !INDIFFERENT.contains(variable.getName()))
        .collect(
            Collectors.toMap(
                EnvVar::getName, it -> orEmpty(it.getValue()), (_, last) -> last, TreeMap::new));
  }

  private static SortedMap<String, String> files(Container driver, Map<String, Volume> volumes) {
    return driver.getVolumeMounts().stream()
        .filter(mount -> !mount.getMountPath().equals(TOKEN_PATH))
        .collect(
            Collectors.toMap(
                VolumeMount::getMountPath,
                mount ->
                    orEmpty(mount.getSubPath()) + " of " + source(volumes.get(mount.getName())),
                (_, last) -> last,
                TreeMap::new));
  }

  private static String source(@Nullable Volume volume) {
    if (volume == null) {
      return "nothing";
    }
    if (volume.getHostPath() != null) {
      return "host " + volume.getHostPath().getPath();
    }
    if (volume.getConfigMap() != null) {
      var map = volume.getConfigMap();
      return "ConfigMap " + map.getName() + items(map.getItems());
    }
    if (volume.getSecret() != null) {
      var secret = volume.getSecret();
      return "Secret " + secret.getSecretName() + items(secret.getItems());
    }
    return "empty directory";
  }

  private static String items(List<KeyToPath> items) {
    return items.stream()
        .sorted(Comparator.comparing(KeyToPath::getKey))
        .map(item -> " " + item.getKey() + "=" + item.getPath())
        .collect(Collectors.joining());
  }

  private static SortedMap<String, String> addons(PodSpec pod) {
    return pod.getContainers().stream()
        .filter(container -> !container.getName().equals(DRIVER))
        .collect(
            Collectors.toMap(
                Container::getName,
                container -> container.getImage() + " " + variables(container),
                (_, last) -> last,
                TreeMap::new));
  }

  private static String orEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
