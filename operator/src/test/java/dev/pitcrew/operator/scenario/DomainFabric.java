package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Two nodes of one NVLink fabric, with the devices that agents publish there, and what users,
/// agents and IMEX daemons do for ComputeDomains. Pods are scheduled by the claims that they have.
record DomainFabric(KubernetesClient client) {
  static final String LABEL = "resource.nvidia.com/computeDomain";
  static final String TEAM = "default";
  static final String CLIQUE = "c0ffee.1";
  static final List<String> NODES = List.of("nvl-1", "nvl-2");
  static final String ORDER =
      "{\"dra\": {\"computeDomains\": {\"controller\": true, \"daemonImage\": \"example.com/dra-driver:1\"}}}";

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String API = "resource.nvidia.com/v1beta1";
  private static final String CLAIMS = "resource.k8s.io/v1";
  private static final String DEVICES =
      """
      apiVersion: resource.k8s.io/v1
      kind: ResourceSlice
      metadata: {name: domains-%1$s}
      spec:
        driver: compute-domain.nvidia.com
        nodeName: %1$s
        pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
        devices:
        - name: daemon-0
          attributes: {type: {string: daemon}, id: {int: 0}}
        - name: channel-0
          attributes: {type: {string: channel}, id: {int: 0}}
      """;
  private static final String CLASS =
      """
      apiVersion: resource.k8s.io/v1
      kind: DeviceClass
      metadata: {name: %s}
      spec:
        selectors:
        - cel: {expression: "device.driver == 'compute-domain.nvidia.com' && device.attributes['compute-domain.nvidia.com'].type == '%s'"}
      """;

  void create() {
    for (int number : List.of(1, 2)) {
      client.resource(NodeTemplate.cpu("nvl").node(number)).create();
      load(DEVICES.formatted("nvl-" + number));
    }
    load(CLASS.formatted("compute-domain-daemon.nvidia.com", "daemon"));
    load(CLASS.formatted("compute-domain-default-channel.nvidia.com", "channel"));
  }

  private void load(String yaml) {
    client
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .items()
        .forEach(object -> client.resource(object).forceConflicts().serverSideApply());
  }

  void delete() {
    NODES.forEach(node -> generic(CLAIMS, "ResourceSlice").withName("domains-" + node).delete());
    Stream.of("compute-domain-daemon.nvidia.com", "compute-domain-default-channel.nvidia.com")
        .forEach(name -> generic(CLAIMS, "DeviceClass").withName(name).delete());
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      generic(String apiVersion, String kind) {
    return client.genericKubernetesResources(apiVersion, kind);
  }

  /// @return the UID of the new domain
  String createDomain(String name, int numNodes, String template) {
    load(
        """
        apiVersion: %s
        kind: ComputeDomain
        metadata: {name: %s, namespace: %s}
        spec: {numNodes: %d, channel: {resourceClaimTemplate: {name: %s}, allocationMode: All}}
        """
            .formatted(API, name, TEAM, numNodes, template));
    return domain(name).require().getMetadata().getUid();
  }

  Resource<GenericKubernetesResource> domain(String name) {
    return generic(API, "ComputeDomain").inNamespace(TEAM).withName(name);
  }

  JsonNode status(String name) {
    return JSON.<JsonNode>valueToTree(domain(name).require()).path("status");
  }

  Resource<GenericKubernetesResource> template(String namespace, String name) {
    return generic(CLAIMS, "ResourceClaimTemplate").inNamespace(namespace).withName(name);
  }

  Resource<GenericKubernetesResource> clique(String uid) {
    return generic(API, "ComputeDomainClique")
        .inNamespace(Scene.NAMESPACE)
        .withName(uid + "." + CLIQUE);
  }

  /// What an agent does when a claim for a channel of the domain comes to its node.
  void label(String node, String uid) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": \"%s\"}}}".formatted(LABEL, uid));
  }

  String labelOf(String node) {
    return Objects.toString(
        client.nodes().withName(node).require().getMetadata().getLabels().get(LABEL), "");
  }

  Pod awaitDaemon(String node, String uid) {
    await("the daemon of the domain on " + node)
        .atMost(LIMIT)
        .until(() -> daemons(node, uid).anyMatch(pod -> pod.getStatus().getPodIP() != null));
    return daemons(node, uid).findFirst().orElseThrow();
  }

  private Stream<Pod> daemons(String node, String uid) {
    return client
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel(LABEL, uid)
        .list()
        .getItems()
        .stream()
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null);
  }

  /// What a daemon does once it runs: it labels its pod with the clique, makes the pod an owner of
  /// that beside those of the other daemons, and writes its entry there.
  void report(String node, String uid, String status) {
    Pod pod = awaitDaemon(node, uid);
    client
        .resource(pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s.cliqueID\": \"%s\"}}}".formatted(LABEL, CLIQUE));
    var entries = new ArrayList<String>();
    entries(uid).stream()
        .filter(entry -> !entry.path("nodeName").asText().equals(node))
        .forEach(entry -> entries.add(entry.toString()));
    entries.add(
        "{nodeName: %s, ipAddress: %s, cliqueID: %s, index: %d, status: %s}"
            .formatted(node, pod.getStatus().getPodIP(), CLIQUE, NODES.indexOf(node), status));
    List<String> owners =
        Stream.concat(
                owners(uid),
                Stream.of(owner(pod.getMetadata().getName(), pod.getMetadata().getUid())))
            .distinct()
            .toList();
    load(
        """
        apiVersion: %1$s
        kind: ComputeDomainClique
        metadata:
          name: %2$s.%3$s
          namespace: %4$s
          labels: {%5$s: %2$s, %5$s.cliqueID: %3$s}
          ownerReferences: [%6$s]
        daemons: [%7$s]
        """
            .formatted(
                API,
                uid,
                CLIQUE,
                Scene.NAMESPACE,
                LABEL,
                String.join(", ", owners),
                String.join(", ", entries)));
  }

  /// The pods that own the clique: garbage collection removes it with the last of them.
  private Stream<String> owners(String uid) {
    return Stream.ofNullable(clique(uid).get())
        .flatMap(clique -> clique.getMetadata().getOwnerReferences().stream())
        .map(owner -> owner(owner.getName(), owner.getUid()));
  }

  private static String owner(String pod, String uid) {
    return "{apiVersion: v1, kind: Pod, name: %s, uid: %s}".formatted(pod, uid);
  }

  List<JsonNode> entries(String uid) {
    return JSON.<JsonNode>valueToTree(clique(uid).get()).path("daemons").valueStream().toList();
  }

  /// What there is of a domain, one line an object.
  List<String> remains(String uid) {
    var found = new ArrayList<HasMetadata>();
    found.addAll(
        generic(API, "ComputeDomain").inAnyNamespace().list().getItems().stream()
            .filter(it -> it.getMetadata().getUid().equals(uid))
            .toList());
    found.addAll(
        generic(CLAIMS, "ResourceClaimTemplate")
            .inAnyNamespace()
            .withLabel(LABEL, uid)
            .list()
            .getItems());
    found.addAll(
        generic(API, "ComputeDomainClique")
            .inAnyNamespace()
            .withLabel(LABEL, uid)
            .list()
            .getItems());
    found.addAll(
        client.apps().daemonSets().inAnyNamespace().withLabel(LABEL, uid).list().getItems());
    found.addAll(client.pods().inAnyNamespace().withLabel(LABEL, uid).list().getItems());
    found.addAll(client.nodes().withLabel(LABEL, uid).list().getItems());
    return found.stream().map(it -> it.getKind() + " " + it.getMetadata().getName()).toList();
  }

  List<Event> events(String name) {
    return client.events().v1().events().inNamespace(TEAM).list().getItems().stream()
        .filter(event -> event.getRegarding().getName().equals(name))
        .toList();
  }
}
