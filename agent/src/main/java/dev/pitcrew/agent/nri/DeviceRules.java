package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.nri.DeviceChoice.Inject;
import dev.pitcrew.agent.nri.DeviceChoice.Refuse;
import dev.pitcrew.agent.nri.DeviceChoice.Skip;
import dev.pitcrew.agent.nri.plan.ContainerFacts;
import dev.pitcrew.agent.nri.plan.ContainerRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Which devices a container gets: none where the device plugin or a claim gives it some, else
/// those of its pod's annotation, else, in a pod of an NVIDIA runtime handler, those of its mounts,
/// else those of `NVIDIA_VISIBLE_DEVICES`. The first that says something decides.
final class DeviceRules {
  private static final String ANNOTATION = "nvidia.cdi.k8s.io";
  private static final String MOUNTS = "/var/run/nvidia-container-devices/";
  private static final String CDI_MOUNT = "cdi/";
  private static final String IMEX_MOUNT = "imex/";
  private static final Pattern QUALIFIED = Pattern.compile("[^/=]+/[^/=]+=[^/=]+");
  private static final Pattern NVIDIA = Pattern.compile("(?:[^/]+\\.)?nvidia\\.com/.*");

  /// The vendors of the CDI kinds that a container may name: of NVIDIA's packages on the host, of
  /// this agent, and of its device plugin. Claims and other vendors have a driver that gives them.
  private static final Set<String> VENDORS =
      Set.of("nvidia.com", KnownDevices.VENDOR, "k8s.device-plugin.nvidia.com");

  /// Variables that ask for more than GPUs, and the class of what they ask for.
  private record Gate(String variable, String deviceClass) {}

  private static final List<Gate> GATES =
      List.of(
          new Gate("NVIDIA_GDS", "gds"),
          new Gate("NVIDIA_MOFED", "mofed"),
          new Gate("NVIDIA_GDRCOPY", "gdrcopy"),
          new Gate("NVIDIA_NVSWITCH", "nvswitch"));

  private final ContainerFacts container;
  private final ContainerRules rules;
  private final KnownDevices known;

  private DeviceRules(ContainerFacts container, ContainerRules rules, KnownDevices known) {
    this.container = container;
    this.rules = rules;
    this.known = known;
  }

  static DeviceChoice choose(ContainerFacts container, ContainerRules rules, KnownDevices known) {
    var it = new DeviceRules(container, rules, known);
    return Stream.<Supplier<Optional<DeviceChoice>>>of(
            it::served, it::annotated, it::foreign, it::mounted, it::byVariable)
        .flatMap(rule -> rule.get().stream())
        .findFirst()
        .orElse(DeviceChoice.NOTHING);
  }

  /// The device plugin or a DRA driver has given it devices.
  private Optional<DeviceChoice> served() {
    return nothingIf(container.devices().stream().anyMatch(name -> NVIDIA.matcher(name).matches()));
  }

  private Optional<DeviceChoice> annotated() {
    return Stream.of(ANNOTATION + "/container." + container.name(), ANNOTATION + "/pod", ANNOTATION)
        .filter(_ -> rules.acceptsAnnotations())
        .flatMap(key -> annotation(key).stream())
        .findFirst();
  }

  private Optional<DeviceChoice> annotation(String key) {
    String source = "annotation " + key;
    return Optional.ofNullable(container.annotations().get(key))
        .map(VisibleDevices::names)
        .map(names ->
            names.isEmpty() || rules.mayAsk(container) ? listed(source, names) : elsewhere(source));
  }

  private DeviceChoice listed(String source, List<String> names) {
    return withheld(source, names)
        .or(() -> unqualified(source, names))
        .orElseGet(() -> new Inject(names));
  }

  private Optional<DeviceChoice> unqualified(String source, List<String> names) {
    return names.stream()
        .filter(name -> !isQualified(name))
        .findFirst()
        .map(name ->
            new Refuse(
                "%s: %s says '%s', which is no CDI device; write vendor/class=name, such as nvidia.com/gpu=0"
                    .formatted(container.words(), source, name)));
  }

  /// One name that the container may not have, and it gets none of the list.
  private Optional<DeviceChoice> withheld(String source, List<String> names) {
    if (names.stream().anyMatch(name -> name.contains(KnownDevices.MANAGEMENT))
        && !rules.isManager(container)) {
      return Optional.of(
          new Skip(
              "%s starts without %s of %s: only the operator's namespace and those of NRI_MANAGEMENT_CDI_DEVICE_NAMESPACES (ClusterPolicy spec.toolkit.env) may have %s"
                  .formatted(
                      container.words(),
                      String.join(",", names),
                      source,
                      KnownDevices.MANAGEMENT)));
    }
    return names.stream()
        .filter(name -> isQualified(name) && !isOfNvidia(name))
        .findFirst()
        .map(name ->
            new Skip(
                "%s starts without %s of %s: %s is not of a kind that may be named there (%s); let the pod ask for it by a resource or a claim"
                    .formatted(
                        container.words(),
                        String.join(",", names),
                        source,
                        name,
                        String.join(", ", new TreeSet<>(VENDORS)))));
  }

  private static boolean isOfNvidia(String name) {
    return name.startsWith(KnownDevices.MANAGEMENT + "=")
        || VENDORS.contains(name.substring(0, name.indexOf('/')));
  }

  private Skip elsewhere(String source) {
    return new Skip(
        "%s starts without the devices of %s: its namespace is not one of PITCREW_VISIBLE_DEVICES_NAMESPACES (ClusterPolicy spec.toolkit.env); let the pod ask for nvidia.com/gpu, or list the namespace"
            .formatted(container.words(), source));
  }

  /// What follows is for pods of an NVIDIA handler only.
  private Optional<DeviceChoice> foreign() {
    return nothingIf(!rules.handlers().contains(container.handler()));
  }

  private Optional<DeviceChoice> mounted() {
    List<String> names =
        container.mounts().entrySet().stream()
            .filter(mount -> mount.getKey().startsWith(MOUNTS))
            .filter(mount -> mount.getValue().equals("/dev/null"))
            .map(mount -> mount.getKey().substring(MOUNTS.length()))
            .filter(name -> !name.startsWith(IMEX_MOUNT))
            .map(DeviceRules::ofMount)
            .sorted()
            .toList();
    boolean counts = rules.acceptsMounts() && rules.mayAsk(container) && !names.isEmpty();
    return Optional.of(names)
        .filter(_ -> counts)
        .map(it -> resolved("a mount below " + MOUNTS, VisibleDevices.of(String.join(",", it))));
  }

  /// `cdi/nvidia.com/gpu/0` is the CDI device `nvidia.com/gpu=0`.
  private static String ofMount(String name) {
    int last = name.lastIndexOf('/');
    return name.startsWith(CDI_MOUNT) && last > CDI_MOUNT.length()
        ? name.substring(CDI_MOUNT.length(), last) + "=" + name.substring(last + 1)
        : name;
  }

  private Optional<DeviceChoice> byVariable() {
    VisibleDevices wanted = VisibleDevices.of(container.environment());
    if (!rules.acceptsVariable() || wanted instanceof VisibleDevices.Unchanged) {
      return Optional.empty();
    }
    return Optional.of(
        rules.mayAsk(container)
            ? resolved(VisibleDevices.VARIABLE, wanted)
            : elsewhere(VisibleDevices.VARIABLE));
  }

  private DeviceChoice resolved(String source, VisibleDevices wanted) {
    return switch (wanted) {
      case VisibleDevices.Unchanged() -> DeviceChoice.NOTHING;
      case VisibleDevices.All() when rules.isManager(container) -> allOfTheNode();
      case VisibleDevices.All() -> of(source, List.of(KnownDevices.ALL));
      case VisibleDevices.None() -> of(source, List.of("none"));
      case VisibleDevices.Listed(var names) -> of(source, names);
    };
  }

  /// The operator's own pods start before there is a driver, since they may be those that bring it.
  private DeviceChoice allOfTheNode() {
    return known.hasManagement()
        ? withExtras(List.of(KnownDevices.MANAGEMENT + "=" + KnownDevices.ALL))
        : new Skip(
            "%s starts without devices: no GPU driver answers on this node yet"
                .formatted(container.words()));
  }

  private DeviceChoice of(String source, List<String> names) {
    return withheld(source, names).orElseGet(() -> given(source, names));
  }

  private DeviceChoice given(String source, List<String> names) {
    boolean areAllQualified = names.stream().allMatch(DeviceRules::isQualified);
    if (!known.hasGpus() && !areAllQualified) {
      return new Refuse(
          "%s: %s asks for GPUs and no GPU driver answers on this node; see condition DriverReady of its GPUNode"
              .formatted(container.words(), source));
    }
    return names.stream()
        .filter(name -> !isQualified(name) && !known.gpus().contains(name))
        .findFirst()
        .<DeviceChoice>map(name -> unknown(source, name))
        .orElseGet(() -> withExtras(names.stream().map(DeviceRules::qualified).toList()));
  }

  private static boolean isQualified(String name) {
    return QUALIFIED.matcher(name).matches();
  }

  private static String qualified(String name) {
    return isQualified(name) ? name : KnownDevices.gpu(name);
  }

  private Refuse unknown(String source, String name) {
    return new Refuse(
        "%s: %s says '%s', and this node has no such device; it has %s"
            .formatted(container.words(), source, name, known.words()));
  }

  private Inject withExtras(List<String> devices) {
    SequencedSet<String> all = new LinkedHashSet<>(devices);
    GATES.stream()
        .filter(gate -> "enabled".equals(container.environment().get(gate.variable())))
        .filter(gate -> known.extras().contains(gate.deviceClass()))
        .map(gate -> KnownDevices.extra(gate.deviceClass()))
        .forEach(all::add);
    return new Inject(new ArrayList<>(all));
  }

  private static Optional<DeviceChoice> nothingIf(boolean applies) {
    return applies ? Optional.of(DeviceChoice.NOTHING) : Optional.empty();
  }
}
