package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.api.ApiFailure;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stands in for the kubelets of all nodes: a pod that is bound to a node is Running and Ready at
/// once, a deleted pod is gone at once. Nothing is run. Images of a version 666 do not come up, and
/// those of a version 404 are not there.
final class PretendKubelet implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PretendKubelet.class);

  /// Images that crash, and images that are not published.
  private static final Pattern LEFT_TO_KWOK = Pattern.compile(":666\\.|:404\\.|:604-.*-404-");

  private final ApiServer api;
  private final String pods;
  private final ExecutorService moves = Executors.newVirtualThreadPerTaskExecutor();
  private final SharedIndexInformer<Pod> informer;

  /// Looks after the pods of a namespace until closed.
  PretendKubelet(ApiServer api, String namespace) {
    this.api = api;
    this.pods = "/api/v1/namespaces/" + namespace + "/pods/";
    this.informer = api.client().pods().inNamespace(namespace).inform(new Watcher());
  }

  private void move(Pod pod) {
    try {
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        end(pod);
      } else if (pod.getSpec().getNodeName() != null
          && "Pending".equals(pod.getStatus().getPhase())
          && !isStuck(pod)) {
        begin(pod);
      }
    } catch (ApiFailure e) {
      LOG.warn("pod {} is left as it is", pod.getMetadata().getName(), e);
    }
  }

  /// kwok shows how.
  private static boolean isStuck(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .anyMatch(container -> LEFT_TO_KWOK.matcher(container.getImage()).find());
  }

  private void end(Pod pod) {
    var options = JsonNodeFactory.instance.objectNode().put("gracePeriodSeconds", 0);
    options.putObject("preconditions").put("uid", pod.getMetadata().getUid());
    api.delete(pods + pod.getMetadata().getName(), options);
  }

  private void begin(Pod pod) {
    var now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    var patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
    patch.set("status", running(pod, now));
    api.mergePatch(pods + pod.getMetadata().getName() + "/status", patch);
  }

  private static ObjectNode running(Pod pod, String now) {
    var status = JsonNodeFactory.instance.objectNode().put("phase", "Running");
    status.put("startTime", now).put("hostIP", "10.0.0.1").put("podIP", "10.1.0.1");
    var conditions = status.putArray("conditions");
    for (var type : List.of("PodScheduled", "Initialized", "ContainersReady", "Ready")) {
      conditions.addObject().put("type", type).put("status", "True").put("lastTransitionTime", now);
    }
    var completed = JsonNodeFactory.instance.objectNode();
    completed
        .putObject("terminated")
        .put("exitCode", 0)
        .put("reason", "Completed")
        .put("startedAt", now)
        .put("finishedAt", now);
    var started = JsonNodeFactory.instance.objectNode();
    started.putObject("running").put("startedAt", now);
    status.set("initContainerStatuses", statuses(pod.getSpec().getInitContainers(), completed));
    status.set("containerStatuses", statuses(pod.getSpec().getContainers(), started));
    return status;
  }

  private static ArrayNode statuses(List<Container> containers, ObjectNode state) {
    var statuses = JsonNodeFactory.instance.arrayNode();
    for (var container : containers) {
      statuses
          .addObject()
          .put("name", container.getName())
          .put("image", container.getImage())
          .put("imageID", "")
          .put("containerID", "pretend://" + container.getName())
          .put("ready", true)
          .put("started", true)
          .put("restartCount", 0)
          .set("state", state);
    }
    return statuses;
  }

  @Override
  public void close() {
    informer.close();
    moves.close();
  }

  private final class Watcher implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      moves.execute(() -> move(pod));
    }

    @Override
    public void onUpdate(Pod before, Pod after) {
      moves.execute(() -> move(after));
    }

    @Override
    public void onDelete(Pod pod, boolean isStateUnknown) {}
  }
}
