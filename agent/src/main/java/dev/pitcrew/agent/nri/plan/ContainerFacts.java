package dev.pitcrew.agent.nri.plan;

import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.nri.api.CDIDevice;
import dev.pitcrew.nri.api.Container;
import dev.pitcrew.nri.api.CreateContainerRequest;
import dev.pitcrew.nri.api.Mount;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A container that is being created, as far as its devices depend on it.
///
/// @param handler the runtime handler of the pod's RuntimeClass; empty for the default one
/// @param environment image and pod together
/// @param mounts with the host's paths by the container's
/// @param devices the CDI devices that the kubelet asks for
/// @param hasUserNamespace whether its user ids are not those of the host
/// @param idMapped the bind mounts whose owners the runtime maps into that namespace
public record ContainerFacts(
    String namespace,
    String pod,
    String name,
    String handler,
    Map<String, String> annotations,
    Map<String, String> environment,
    Map<String, String> mounts,
    List<String> devices,
    boolean hasUserNamespace,
    List<ContainerEdits.Mount> idMapped) {
  /// The options of an idmapped mount (OCI runtime specification, "Linux mount options").
  public static final Set<String> ID_MAPPING = Set.of("idmap", "ridmap");

  public ContainerFacts {
    annotations = Map.copyOf(annotations);
    environment = Map.copyOf(environment);
    mounts = Map.copyOf(mounts);
    devices = List.copyOf(devices);
    idMapped = List.copyOf(idMapped);
  }

  public static ContainerFacts of(CreateContainerRequest request) {
    Container container = request.getContainer();
    return new ContainerFacts(
        request.getPod().getNamespace(),
        request.getPod().getName(),
        container.getName(),
        request.getPod().getRuntimeHandler(),
        request.getPod().getAnnotationsMap(),
        variables(container.getEnvList()),
        mounts(container),
        container.getCDIDevicesList().stream().map(CDIDevice::getName).toList(),
        container.getLinux().getNamespacesList().stream()
            .anyMatch(namespace -> namespace.getType().equals("user")),
        container.getMountsList().stream()
            .filter(ContainerFacts::isIdMapped)
            .map(ContainerFacts::bind)
            .toList());
  }

  private static boolean isIdMapped(Mount mount) {
    return mount.getSource().startsWith("/")
        && mount.getOptionsList().stream().anyMatch(ID_MAPPING::contains);
  }

  private static ContainerEdits.Mount bind(Mount mount) {
    return new ContainerEdits.Mount(
        mount.getSource(), mount.getDestination(), mount.getOptionsList());
  }

  /// For messages.
  public String words() {
    return "container %s of pod %s/%s".formatted(name, namespace, pod);
  }

  /// The last one of a name counts, as for the program that reads them.
  private static Map<String, String> variables(List<String> entries) {
    var variables = new LinkedHashMap<String, String>();
    for (String entry : entries) {
      int end = entry.indexOf('=');
      if (end > 0) {
        variables.put(entry.substring(0, end), entry.substring(end + 1));
      }
    }
    return variables;
  }

  private static Map<String, String> mounts(Container container) {
    var mounts = new LinkedHashMap<String, String>();
    container.getMountsList().forEach(it -> mounts.put(it.getDestination(), it.getSource()));
    return mounts;
  }
}
