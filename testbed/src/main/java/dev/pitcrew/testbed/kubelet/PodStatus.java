package dev.pitcrew.testbed.kubelet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// What a kubelet reports of one try to run the only container of a pod.
///
/// @param restarts how many tries there were before
record PodStatus(Pod pod, int restarts, Instant started) {
  static PodStatus of(Pod pod, int restarts) {
    return new PodStatus(pod, restarts, now());
  }

  /// The container runs and answers.
  ObjectNode running() {
    var state = JsonNodeFactory.instance.objectNode();
    state.putObject("running").put("startedAt", started.toString());
    return status("Running", true, state);
  }

  /// The container has ended for good.
  ObjectNode ended(int exitCode) {
    var isSuccess = exitCode == 0;
    var state = JsonNodeFactory.instance.objectNode();
    state
        .putObject("terminated")
        .put("exitCode", exitCode)
        .put("reason", isSuccess ? "Completed" : "Error")
        .put("startedAt", started.toString())
        .put("finishedAt", now().toString());
    return status(isSuccess ? "Succeeded" : "Failed", false, state);
  }

  private ObjectNode status(String phase, boolean isReady, ObjectNode state) {
    var status = JsonNodeFactory.instance.objectNode().put("phase", phase);
    status.put("startTime", started.toString());
    var conditions = status.putArray("conditions");
    conditions.add(condition("PodScheduled", true));
    conditions.add(condition("Initialized", true));
    conditions.add(condition("ContainersReady", isReady));
    conditions.add(condition("Ready", isReady));
    var container = pod.getSpec().getContainers().getFirst();
    status
        .putArray("containerStatuses")
        .addObject()
        .put("name", container.getName())
        .put("image", container.getImage())
        .put("imageID", container.getImage())
        .put("containerID", "process://" + pod.getMetadata().getUid() + "-" + restarts)
        .put("ready", isReady)
        .put("started", isReady)
        .put("restartCount", restarts)
        .set("state", state);
    return status;
  }

  private static ObjectNode condition(String type, boolean isTrue) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("type", type)
        .put("status", isTrue ? "True" : "False")
        .put("lastTransitionTime", now().toString());
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }
}
