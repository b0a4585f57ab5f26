package dev.pitcrew.operator.scenario;

import static dev.pitcrew.operator.scenario.OperandAccounts.OTHER;
import static dev.pitcrew.operator.scenario.OperandAccounts.OWN;
import static dev.pitcrew.operator.scenario.OperandAccounts.POOL_DRIVER;
import static dev.pitcrew.operator.scenario.OperandAccounts.TENANT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/// What an attacker on a GPU node can do with the tokens that a default install of the chart brings
/// there, beyond what [OperandRightsTest] tries: no account reads or evicts pods of other
/// namespaces.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class DefaultAccountsTest {
  private final ControlPlane controlPlane;
  private OperandAccounts accounts;

  DefaultAccountsTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeAll
  void enter() throws IOException, InterruptedException {
    accounts = OperandAccounts.on(controlPlane, Values.DEFAULTS, agentOfChart());
  }

  @AfterAll
  void leave() {
    accounts.close();
  }

  @Test
  void noAccountReadsOrEvictsPodsOfOtherNamespaces() {
    var succeeded = new ArrayList<String>();
    for (var account : accounts.ofPolicy()) {
      for (var attempt : ATTACKS) {
        if (!attempt.answerTo(accounts.as(account)).contains("is forbidden")) {
          succeeded.add(account + ": " + attempt.what());
        }
      }
    }

    assertThat(accounts.ofPolicy())
        .contains("pitcrew-agent", "nvidia-driver", "nvidia-vgpu-manager", POOL_DRIVER);
    assertThat(succeeded).isEmpty();
  }

  @Test
  void driverManagersDoTheirWork() {
    for (var account : List.of("nvidia-driver", "nvidia-vgpu-manager", "nvidia-vfio-manager")) {
      KubernetesClient manager = accounts.as(account);

      assertThat(manager.nodes().withName(OWN).get()).isNotNull();
      assertThat(
              Attempt.labels("", OWN, "{\"nvidia.com/gpu.deploy.dcgm\": \"paused\"}")
                  .answerTo(manager))
          .as(account)
          .isEmpty();
      assertThat(
              manager
                  .pods()
                  .inNamespace(Scene.NAMESPACE)
                  .withField("spec.nodeName", OTHER)
                  .list()
                  .getItems())
          .as(account)
          .isNotEmpty();
    }
  }

  private static final List<Attempt> ATTACKS =
      List.of(
          read("all pods", client -> client.pods().inAnyNamespace().list()),
          read(
              "pods of its own node",
              client -> client.pods().inAnyNamespace().withField("spec.nodeName", OWN).list()),
          read("pods of kube-system", client -> client.pods().inNamespace("kube-system").list()),
          read(
              "a pod on its own node",
              client -> client.pods().inNamespace(TENANT).withName("here").get()),
          read("Secrets", client -> client.secrets().inAnyNamespace().list()),
          read("Secrets beside it", client -> client.secrets().inNamespace(Scene.NAMESPACE).list()),
          OperandAttempts.eviction(TENANT, "here"),
          OperandAttempts.eviction(TENANT, "there"),
          OperandAttempts.eviction(Scene.NAMESPACE, "here"));

  private static Attempt read(String what, Consumer<KubernetesClient> read) {
    return new Attempt("reads " + what, read);
  }

  /// As the chart's FleetPolicy has it by default.
  private AgentSpec agentOfChart() {
    HasMetadata policy =
        OperatorRights.ofChart(Set.of("FleetPolicy"), controlPlane.client()).getFirst();
    var agent =
        (ObjectNode) ApiJson.read(Serialization.asJson(policy), JsonNode.class).at("/spec/agent");
    agent.putObject("image").put("repository", "r.io").put("image", "p").put("version", "1");
    return ApiJson.read(agent, AgentSpec.class);
  }
}
