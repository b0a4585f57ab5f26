package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.ClaimState;
import dev.pitcrew.cli.cluster.FailedCreation;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The one thing that keeps a pod from running.
class PodChainTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:18:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu: 4  | '' | a gpu=8                   | the GPUs that it could have are in use | closest: a has 2",
        "gpu: 4  | '' | a gpu=8                   | the GPUs that it could have are in use | held by ml/h on a: 6",
        "gpu: 2  | '' | a gpu=8                   | something else keeps it | 0/9 nodes",
        "gpu: 4  | '' | a gpu=8 cordoned          | the nodes that could run it are cordoned | a: by the driver roll-out, Drain",
        "gpu: 4  | '' | b gpu=8 cordoned          | the nodes that could run it are cordoned | b: by kubectl cordon",
        "gpu: 4  | '' | b gpu=8 down              | the nodes that could run it are not ready | kubelet",
        "gpu: 8  | '' | b gpu=8 allocatable=7;a gpu=4 | the nodes have enough GPUs, but offer fewer | node b has 8",
        "gpu: 8  | '' | b gpu=8 allocatable=7;a gpu=8 | in use | b: GPU 0: Xid 79",
        "gpu: 9  | '' | a gpu=8                   | more GPUs than any node has | no node that is there now has more than 8",
        "gpus: 1 | '' | a gpu=8                   | a resource that no node has | if you mean nvidia.com/gpu",
        "mig-1g.5gb: 1 | '' | a mig-1g.10gb=7           | a resource that no node has | nvidia.com/mig-1g.10gb",
        "gpu: 4  | 'nodeSelector: {kind: a100}' | a gpu=8;b gpu=2 kind=a100 | its node selector or affinity | excluded by nodeSelector kind=a100",
        "gpu: 4  | '' | a gpu=8 taint=team;b gpu=2 | it does not tolerate the taint | team=a:NoSchedule",
        "gpu: 4  | 'tolerations: [{key: team, operator: Exists}]' | b gpu=8 taint=team | something else keeps it | 0/9 nodes",
        "gpu: 4  | 'schedulingGates: [{name: queue}]' | a gpu=8          | scheduling gates | queue",
        "cpu: 1  | '' | a gpu=8                   | no container asks for a GPU | 0/9 nodes",
      })
  void podThatWaits_hasOneCause(
      String limits, String spec, String nodes, String cause, String detail) {
    Pod pod =
        Objects.pod("train", "", (limits.startsWith("cpu") ? "" : "nvidia.com/") + limits, spec);

    Chain chain = PodChain.of(pod, cluster(nodes), NOW);

    assertThat(chain.ok()).isFalse();
    assertThat(chain.subject()).startsWith("Pod ml/train: Pending for 18m, asks for ");
    assertThat(chain.cause()).contains(cause);
    assertThat(text(chain)).contains(detail);
    assertThat(chain.next()).isNotEmpty();
  }

  @Test
  void claimsThatAreNotAllocated_comeFirst() {
    Pod pod =
        Objects.pod(
            "train",
            "",
            "",
            "resourceClaims: [{name: made, resourceClaimName: c1}, {name: open, resourceClaimTemplateName: t}]");
    var claims = List.of(new ClaimState("c1", false, List.of("gpu.nvidia.com")));

    Chain chain =
        PodChain.of(
            pod,
            new PodChain.Cluster(
                List.of(), Optional.of(List.of()), Optional.empty(), Optional.of(claims)),
            NOW);

    assertThat(chain.cause()).isEqualTo("ResourceClaim c1 (gpu.nvidia.com) is not allocated");
    assertThat(text(chain)).contains("ResourceClaim open is not made yet");
  }

  @Test
  void runningPod_isOk_withTheHealthOfItsNode() {
    Chain chain =
        PodChain.of(Objects.pod("train", "b", "nvidia.com/gpu: 1", ""), cluster("b gpu=8"), NOW);

    assertThat(chain.ok()).isTrue();
    assertThat(chain.cause()).isEmpty();
    assertThat(text(chain)).contains("it runs on b", "the node is not ready: GpuUnhealthy");
  }

  @Test
  void withoutTheRightToListNodes_theSchedulerIsQuoted() {
    Chain chain =
        PodChain.of(
            Objects.pod("train", "", "nvidia.com/gpu: 1", ""),
            new PodChain.Cluster(List.of(), Optional.empty(), Optional.empty(), Optional.empty()),
            NOW);

    assertThat(chain.cause()).isEqualTo("the scheduler says: 0/9 nodes");
    assertThat(text(chain)).contains("do not allow to list nodes");
  }

  @ParameterizedTest
  @CsvSource({"train-7d9,train-7d9-x2,true", "train,train,true", "other,train-7d9-x2,false"})
  void podThatAQuotaForbids_isFoundByItsController(String owner, String pod, boolean isFound) {
    var failure =
        new FailedCreation(
            "ReplicaSet/" + owner,
            "pods \"train\" is forbidden: exceeded quota: gpus, requested: 4");

    assertThat(failure.isAbout(pod)).isEqualTo(isFound);
    assertThat(MissingPod.of("ml", pod, List.of(failure)).cause())
        .isEqualTo("a quota of the namespace does not allow it");
  }

  private static PodChain.Cluster cluster(String nodes) {
    List<KubeNode> all = Stream.of(nodes.split(";", -1)).map(Objects::kubeNode).toList();
    return new PodChain.Cluster(
        List.of(
            Objects.gpuNode("a 8 Phase=Drain"),
            Objects.gpuNode("b 8 NotReady=GpuUnhealthy Bad=NeedsReset")),
        Optional.of(all),
        Optional.of(new Holdings(List.of(Objects.pod("h", "a", "nvidia.com/gpu: 6", "")))),
        Optional.empty());
  }

  private static String text(Chain chain) {
    var lines = new ArrayList<String>();
    lines.add(chain.cause());
    chain
        .steps()
        .forEach(step -> {
          lines.add(step.text());
          lines.addAll(step.details());
        });
    lines.addAll(chain.next());
    return String.join("\n", lines);
  }
}
