package dev.pitcrew.testbed.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.Definitions;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Reports for the agents of nodes with GPUs, in whose pods nothing runs: the pod that is ready on
/// a node writes the GPUNode, by the operator's document and the labels of the node, as
/// `agent.settings.FunctionRules` and `agent.status.plan.GpuNodeReport` have it.
///
/// As on a real node, a function is named before it has shown that it works; of a pod that is gone
/// the GPUNode stays as it is; and a driver may not answer.
public final class ReportingAgents implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String AGENT = "pitcrew-agent";
  private static final String NAMESPACE = "gpu-operator";
  private static final String DOCUMENT = "agent.json";
  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager(AGENT)
          .withForce(true)
          .build();
  private static final int AGAIN_MILLIS = 500;
  private static final String DEPLOY = "nvidia.com/gpu.deploy.";

  /// The label of the operand that a function replaces.
  private static final Map<String, String> LABELS =
      Map.of(
          "labels", "gpu-feature-discovery",
          "devicePlugin", "device-plugin",
          "cdi", "container-toolkit",
          "runtime", "container-toolkit",
          "validation", "operator-validator",
          "nodeStatus", "node-status-exporter",
          "metrics", "dcgm-exporter",
          "mig", "mig-manager");

  /// The condition by which a function shows that it works.
  private static final Map<String, String> PROOF =
      Map.of(
          "devicePlugin", "DevicesAdvertised",
          "runtime", "RuntimeReady",
          "validation", "Validated");

  private record Said(String pod, Set<String> functions, boolean isDriverReady) {}

  private final KubernetesClient client;
  private final Predicate<String> nodesOfOthers;
  private final Semaphore wakes = new Semaphore(1);
  private final Thread thread = Thread.ofVirtual().unstarted(this::run);
  private final Set<String> withoutDriver = ConcurrentHashMap.newKeySet();
  private volatile boolean areSilent;
  private final Map<String, Said> said = new HashMap<>();
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<Node> nodes;
  private final SharedIndexInformer<ConfigMap> documents;

  /// On all nodes.
  public ReportingAgents(KubernetesClient client) {
    this(client, _ -> false);
  }

  /// @param nodesOfOthers names of nodes whose agents report themselves
  public ReportingAgents(KubernetesClient client, Predicate<String> nodesOfOthers) {
    this.client = client;
    this.nodesOfOthers = nodesOfOthers;
    pods = client.pods().inNamespace(NAMESPACE).withLabel("app", AGENT).inform(new Watcher<>());
    nodes = client.nodes().inform(new Watcher<>());
    documents = client.configMaps().inNamespace(NAMESPACE).withName(AGENT).inform(new Watcher<>());
    thread.start();
  }

  /// From now on the driver of a node answers, or does not.
  public void driver(String node, boolean answers) {
    if (answers) {
      withoutDriver.remove(node);
    } else {
      withoutDriver.add(node);
    }
    wake();
  }

  /// From now on agents run and have not reported yet, or do.
  public void silent(boolean are) {
    areSilent = are;
    wake();
  }

  private void wake() {
    wakes.release();
  }

  private void run() {
    try {
      var isDone = true;
      while (true) {
        if (isDone) {
          wakes.acquire();
        } else {
          wakes.tryAcquire(AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        }
        wakes.drainPermits();
        isDone = lookAtAll();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// As the API server refuses what its definition lacks, or a node has just gone.
  private boolean lookAtAll() {
    try {
      return nodes.getStore().list().stream().map(this::look).reduce(true, Boolean::logicalAnd);
    } catch (KubernetesClientException e) {
      System.err.println("a report is refused: " + e.getMessage());
      return false;
    }
  }

  /// @return whether what it has to say is said
  private boolean look(Node node) {
    var name = node.getMetadata().getName();
    var labels = node.getMetadata().getLabels();
    Optional<String> pod =
        pods.getStore().list().stream()
            .filter(it -> name.equals(it.getSpec().getNodeName()))
            .filter(it -> it.getMetadata().getDeletionTimestamp() == null)
            .filter(Readiness::isPodReady)
            .map(it -> it.getMetadata().getName())
            .findFirst();
    if (areSilent
        || nodesOfOthers.test(name)
        || pod.isEmpty()
        || !"true".equals(labels.get("nvidia.com/gpu.present"))) {
      return true;
    }
    var now = new Said(pod.get(), running(labels), !withoutDriver.contains(name));
    var key = node.getMetadata().getUid();
    if (!now.equals(said.get(key))) {
      createUnlessThere(node);
      report(name, status(now, false));
      // The API server drops for a moment what a definition has only just got, and an agent that
      // sees it says it again.
      if (report(name, status(now, true)).get("status", "agent") == null) {
        return false;
      }
      said.put(key, now);
    }
    return true;
  }

  private Set<String> running(Map<String, String> labels) {
    var document =
        documents.getStore().list().stream()
            .findFirst()
            .map(it -> tree(it.getData().getOrDefault(DOCUMENT, "{}")))
            .orElse(JSON.createObjectNode());
    var running = new TreeSet<String>();
    LABELS.forEach((function, operand) -> {
      var label = labels.getOrDefault(DEPLOY + operand, "");
      var isAgents = label.equals("provided-by-agent");
      var isOn =
          has(document, "functions", function)
              ? isAgents || label.equals("true")
              : isAgents && has(document, "handingBack", function);
      if (isOn) {
        running.add(function);
      }
    });
    return running;
  }

  private static boolean has(JsonNode document, String list, String function) {
    for (var item : document.path(list)) {
      if (item.asText().equals(function)) {
        return true;
      }
    }
    return false;
  }

  private void createUnlessThere(Node node) {
    var name = node.getMetadata().getName();
    if (gpuNode(name).get() == null) {
      var owner =
          """
          {"apiVersion": "pitcrew.dev/v1alpha1", "kind": "GPUNode", "metadata": {"name": "%1$s",
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "%1$s", "uid": "%2$s"}]}}
          """
              .formatted(name, node.getMetadata().getUid());
      client.resource(owner).create();
    }
  }

  /// What it said before and does not say now goes.
  private GenericKubernetesResource report(String node, ObjectNode status) {
    var report = JSON.createObjectNode();
    report.put("apiVersion", "pitcrew.dev/v1alpha1").put("kind", "GPUNode");
    report.putObject("metadata").put("name", node);
    report.set("status", status);
    return gpuNode(node).subresource("status").patch(APPLY, report.toString());
  }

  private Resource<GenericKubernetesResource> gpuNode(String name) {
    return client.genericKubernetesResources(Definitions.GPU_NODE).withName(name);
  }

  /// @param isShown whether the functions have shown by now that they work
  private static ObjectNode status(Said said, boolean isShown) {
    var status = JSON.createObjectNode();
    var agent = status.putObject("agent").put("pod", said.pod());
    said.functions().forEach(agent.putArray("functions")::add);
    var conditions = status.putArray("conditions");
    var types = new TreeSet<>(List.of("DriverReady"));
    said.functions().stream().filter(PROOF::containsKey).map(PROOF::get).forEach(types::add);
    types.forEach(type ->
        conditions
            .addObject()
            .put("type", type)
            .put("status", !said.isDriverReady() ? "False" : isShown ? "True" : "Unknown")
            .put("reason", "Simulated")
            .put("message", "")
            .put("lastTransitionTime", "2026-11-26T00:00:00Z"));
    return status;
  }

  private static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    pods.close();
    nodes.close();
    documents.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Watcher<T extends HasMetadata> implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T added) {
      wake();
    }

    @Override
    public void onUpdate(T before, T after) {
      wake();
    }

    @Override
    public void onDelete(T deleted, boolean isStateUnknown) {
      wake();
    }
  }
}
