// Test budget 90 s: leases run out, and an API server is stopped.
package dev.pitcrew.kube.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Verb;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class LeaderElectionTest {

  private static final long LIMIT_SECONDS = 30;
  private static final int LEASE_SECONDS = 3;
  private static final String OTHER = "default";
  private static final int CONFLICTS = 20;
  private static final String NOT_SENT = "not sent: this process does not hold the lease";
  private static final ObjectKey NODE = ObjectKey.of("v1", "Node", "", "n");

  private KubernetesClient client;
  private String namespace;

  /// Another one for each test: leases of the same name in other namespaces matter.
  private String name;

  /// One process that takes part.
  private final class Candidate implements AutoCloseable {
    final CountDownLatch started = new CountDownLatch(1);
    final CountDownLatch stopped = new CountDownLatch(1);
    final Semaphore joined = new Semaphore(0);
    final Writes writes = new Writes();
    final LeaderElection election;

    Candidate(KubernetesClient theirs, String identity) {
      this(theirs, identity, namespace);
    }

    Candidate(KubernetesClient theirs, String identity, String installedIn) {
      var options =
          new LeaseOptions(
              installedIn,
              name,
              identity,
              Duration.ofSeconds(LEASE_SECONDS),
              Duration.ofSeconds(2),
              Duration.ofMillis(100));
      election = new LeaderElection(theirs, writes, options, InstantSource.system());
      election.start(started::countDown, stopped::countDown, joined::release);
    }

    /// Writes nothing, but passes the gate that every write passes.
    void write() {
      writes.perform(Verb.PATCH, NODE, () -> true);
    }

    boolean leadsWithin(long seconds) throws InterruptedException {
      return started.await(seconds, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      election.close();
    }
  }

  @BeforeEach
  void prepare(KubernetesClient shared, TestNamespace testNamespace) {
    client = shared;
    namespace = testNamespace.name();
    name = "leader-" + namespace;
  }

  @Test
  void aSuccessorTakesOverAtOnceWhenTheLeaderCloses() throws InterruptedException {
    var first = new Candidate(client, "first");
    assertThat(first.leadsWithin(LIMIT_SECONDS)).isTrue();
    try (var second = new Candidate(client, "second")) {
      assertThat(second.leadsWithin(1)).isFalse();
      first.close();
      assertThat(lease().getSpec().getHolderIdentity()).as("given up").isNotEqualTo("first");
      assertThat(second.leadsWithin(LIMIT_SECONDS)).isTrue();
      assertThat(first.stopped.getCount()).as("closing is no loss").isEqualTo(1);
      assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("second");
      assertThat(lease().getSpec().getLeaseTransitions()).isEqualTo(1);
    }
  }

  @Test
  void anotherInstallationThatActsIsWaitedFor() throws InterruptedException {
    var first = new Candidate(client, "first", OTHER);
    assertThat(first.leadsWithin(LIMIT_SECONDS)).isTrue();
    try (var second = new Candidate(client, "second")) {
      assertThat(second.leadsWithin(LEASE_SECONDS + 1)).isFalse();
      assertThat(second.election.elsewhere()).contains("namespace default (first)");
      assertThat(lease()).as("not even for a moment").isNull();

      first.close();

      assertThat(second.leadsWithin(LIMIT_SECONDS)).isTrue();
      assertThat(second.election.elsewhere()).isEmpty();
    }
  }

  /// As the NVIDIA GPU Operator, which looks at its own namespace only.
  @Test
  void anotherInstallationThatActsBesideTheLeaderIsReported_andThatItIsGone()
      throws InterruptedException {
    try (var first = new Candidate(client, "first")) {
      assertThat(first.leadsWithin(LIMIT_SECONDS)).isTrue();

      createLease("intruder");

      assertThat(first.joined.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(first.election.elsewhere()).contains("namespace default (intruder)");
      assertThat(first.joined.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(first.election.elsewhere()).as("its lease is not renewed").isEmpty();
      assertThat(first.stopped.getCount()).as("the leader goes on").isEqualTo(1);
    }
  }

  @Test
  void anotherInstallationThatIsGoneIsWaitedForAsLongAsItsLeaseHolds() throws InterruptedException {
    createLease("killed");
    try (var second = new Candidate(client, "second")) {
      assertThat(second.leadsWithin(LEASE_SECONDS - 1)).isFalse();
      assertThat(second.leadsWithin(LIMIT_SECONDS)).isTrue();
    }
  }

  private void createLease(String holder) {
    client
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(OTHER)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(holder)
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .endSpec()
                .build())
        .create();
  }

  @Test
  void twoInstallationsThatStartTogether_haveOneLeader() throws InterruptedException {
    try (var first = new Candidate(client, "first", OTHER);
        var second = new Candidate(client, "second")) {
      assertThat(first.leadsWithin(4 * LEASE_SECONDS) ^ second.leadsWithin(LEASE_SECONDS)).isTrue();
    }
  }

  @Test
  void aLeaderWhoseLeaseWasTakenStops() throws InterruptedException {
    try (var leader = new Candidate(client, "first")) {
      assertThat(leader.leadsWithin(LIMIT_SECONDS)).isTrue();
      client
          .leases()
          .inNamespace(namespace)
          .withName(name)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"holderIdentity\": \"other\"}}");
      assertThat(leader.stopped.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(leader.election.isLeader()).isFalse();
    }
  }

  @Test
  void aLeaderThatCannotReachTheServerStops(ControlPlane plane) throws InterruptedException {
    try (var leader = new Candidate(client, "first")) {
      assertThat(leader.leadsWithin(LIMIT_SECONDS)).isTrue();
      plane.stopApiServer();
      try {
        assertThat(leader.stopped.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      } finally {
        plane.startApiServer();
      }
    }
  }

  @Test
  void onlyALeaderWhoseLeaseIsFreshWrites(ControlPlane plane) throws InterruptedException {
    try (var leader = new Candidate(client, "first")) {
      assertThat(leader.leadsWithin(LIMIT_SECONDS)).isTrue();
      leader.write();
      try (var second = new Candidate(client, "second")) {
        assertThatThrownBy(second::write).hasMessageEndingWith(NOT_SENT);
      }
      plane.stopApiServer();
      try {
        assertThat(leader.stopped.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(leader::write).hasMessageEndingWith(NOT_SENT);
      } finally {
        plane.startApiServer();
      }
    }
  }

  @Test
  void aLeaderOutlivesConflictsOverItsLease() throws InterruptedException {
    try (var leader = new Candidate(client, "first")) {
      assertThat(leader.leadsWithin(LIMIT_SECONDS)).isTrue();
      for (int i = 0; i < CONFLICTS; i++) {
        var renewed = lease().getSpec().getRenewTime();
        annotate("conflict", "" + i); // what the leader knows of the lease is outdated now
        client
            .leases()
            .inNamespace(namespace)
            .withName(name)
            .waitUntilCondition(
                lease -> lease.getSpec().getRenewTime().isAfter(renewed),
                LIMIT_SECONDS,
                TimeUnit.SECONDS);
      }
      assertThat(leader.election.isLeader()).isTrue();
      assertThat(leader.stopped.getCount()).isEqualTo(1);
      assertThat(lease().getSpec().getLeaseTransitions()).isZero();
      assertThat(lease().getMetadata().getAnnotations())
          .containsEntry("conflict", "" + (CONFLICTS - 1));
    }
  }

  @Test
  void getCreateAndUpdateAreRightsEnough(ControlPlane plane) throws InterruptedException {
    client
        .resource(
            new RoleBuilder()
                .withNewMetadata()
                .withName("elector")
                .withNamespace(namespace)
                .endMetadata()
                .addToRules(
                    new PolicyRuleBuilder()
                        .withApiGroups("coordination.k8s.io")
                        .withResources("leases")
                        .withVerbs("get", "create", "update")
                        .build())
                .build())
        .create();
    client
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName("elector")
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "Role", "elector")
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName("default")
                .withNamespace(namespace)
                .endSubject()
                .build())
        .create();
    client
        .serviceAccounts()
        .inNamespace(namespace)
        .withName("default")
        .waitUntilCondition(account -> account != null, LIMIT_SECONDS, TimeUnit.SECONDS);
    try (var theirs =
            Clients.create(ClientOptions.from(plane.kubeconfigFor(namespace, "default")));
        var candidate = new Candidate(theirs, "limited")) {
      assertThat(candidate.leadsWithin(LIMIT_SECONDS)).isTrue();
    }
    assertThat(lease().getSpec().getHolderIdentity()).isNull();
  }

  private Lease lease() {
    return client.leases().inNamespace(namespace).withName(name).get();
  }

  private void annotate(String key, String value) {
    client
        .leases()
        .inNamespace(namespace)
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(key, value));
  }
}
