package dev.pitcrew.testbed.kubelet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorPod;
import dev.pitcrew.testbed.operator.OperatorProgram;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpecBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A node whose pods run: each as a process of the operator, with the arguments and variables of
/// the pod's only container and a token of its service account, and its end in the pod's status. A
/// pod with ports answers at free ones of loopback instead, and is Ready once the operator says so.
/// A process that is to be started again is so at once, without a kubelet's back-off.
///
/// A pod that must run here selects the node by the label `kubernetes.io/hostname`.
public final class ProcessKubelet implements AutoCloseable {
  private final ControlPlane controlPlane;
  private final OperatorProgram program;
  private final Path logs;
  private final ApiServer api;
  private final Map<String, PodRun> runs = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final SharedIndexInformer<Pod> pods;

  /// Adds the node `<prefix>-1` and runs what the scheduler binds to it until closed.
  ///
  /// @param taints what the node registers with, as with a kubelet's `--register-with-taints`
  /// @param logs a folder that takes what the processes print
  public ProcessKubelet(
      ControlPlane controlPlane,
      String prefix,
      List<Taint> taints,
      OperatorProgram program,
      Path logs) {
    this.controlPlane = controlPlane;
    this.program = program;
    this.logs = logs;
    this.api = ApiServer.of(controlPlane.kubeconfigFile());
    var node =
        controlPlane.client().resource(node(prefix, taints)).create().getMetadata().getName();
    this.pods =
        controlPlane
            .client()
            .pods()
            .inAnyNamespace()
            .withField("spec.nodeName", node)
            .inform(new Watcher());
  }

  /// A node that no other program simulates.
  private static Node node(String prefix, List<Taint> taints) {
    var node = NodeTemplate.cpu(prefix).node(1);
    node.getMetadata().setAnnotations(Map.of());
    node.setSpec(new NodeSpecBuilder().withTaints(taints).build());
    return node;
  }

  /// What the first try of a pod has printed.
  public String log(Pod pod) throws IOException {
    return Files.readString(log(pod, 0));
  }

  private Path log(Pod pod, int restarts) {
    return logs.resolve("%s-%d.log".formatted(pod.getMetadata().getName(), restarts));
  }

  private void end(Pod pod) {
    var run = runs.get(pod.getMetadata().getUid());
    if (run != null) {
      run.stop();
    }
    var options = JsonNodeFactory.instance.objectNode().put("gracePeriodSeconds", 0);
    options.putObject("preconditions").put("uid", pod.getMetadata().getUid());
    api.delete(path(pod), options);
  }

  private static String path(Pod pod) {
    var metadata = pod.getMetadata();
    return "/api/v1/namespaces/%s/pods/%s".formatted(metadata.getNamespace(), metadata.getName());
  }

  /// Ends all processes and leaves the node and its pods as they are, like a machine that lost
  /// power.
  @Override
  public void close() {
    pods.close();
    runs.values().forEach(PodRun::stop);
    threads.close();
    api.close();
  }

  private final class Processes implements PodRun.Host {
    @Override
    public OperatorProcess start(Pod pod, int restarts, Optional<OperatorAddresses> addresses)
        throws IOException {
      var launch = OperatorPod.launch(pod);
      var kubeconfig =
          controlPlane.kubeconfigFor(
              pod.getMetadata().getNamespace(), pod.getSpec().getServiceAccountName());
      var command =
          addresses
              .map(free -> launch.commandLine(program, kubeconfig, free))
              .orElseGet(() -> launch.commandLine(program, kubeconfig));
      return OperatorProcess.start(command, Map.of(), log(pod, restarts));
    }

    @Override
    public void report(Pod pod, ObjectNode status) {
      var patch = JsonNodeFactory.instance.objectNode();
      patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
      patch.set("status", status);
      api.mergePatch(path(pod) + "/status", patch);
    }
  }

  /// Receives one event after the other, so a pod's run is known before the pod's end is.
  private final class Watcher implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      look(pod);
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      look(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean isStateUnknown) {
      threads.execute(() -> end(pod));
    }

    private void look(Pod pod) {
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        threads.execute(() -> end(pod));
      } else {
        runs.computeIfAbsent(pod.getMetadata().getUid(), _ -> begin(pod));
      }
    }

    private PodRun begin(Pod pod) {
      var run = new PodRun(pod, new Processes());
      threads.execute(run::run);
      return run;
    }
  }
}
