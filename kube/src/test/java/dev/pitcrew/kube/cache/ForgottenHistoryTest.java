package dev.pitcrew.kube.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Link;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A cache of Events, which the API server reads straight from etcd, so that what etcd has
/// forgotten is gone (410).
@WithControlPlane
class ForgottenHistoryTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MORE_THAN_A_PAGE = 101;

  private final ControlPlane plane;
  private final RecordingListener<Event> changes = new RecordingListener<>();
  private String namespace;
  private Link link;
  private KubernetesClient client;

  ForgottenHistoryTest(ControlPlane plane) {
    this.plane = plane;
  }

  @BeforeEach
  void connect(TestNamespace testNamespace, @TempDir Path folder) {
    namespace = testNamespace.name();
    link = Link.to(plane.apiServerAddress());
    client = Clients.create(ClientOptions.from(link.kubeconfig(plane, folder)));
  }

  @AfterEach
  void disconnect() {
    client.close();
    link.close();
  }

  @Test
  void aWatchWhosePositionIsForgottenIsFollowedByOneNewList() throws InterruptedException {
    create("a", "b");
    try (var cache = Cache.of(client, Event.class, options())) {
      cache.start().awaitSync(LIMIT);
      cache.listen(changes);
      changes.rest().clear();
      var lists = new LinkedBlockingQueue<String>();
      cache.listenToLists(lists::add);

      link.breakDown();
      update("a");
      delete("b");
      create("c");
      plane.forgetHistory();
      link.restore();

      changes.expect("~a=2", "+c=1", "-b");
      assertThat(changes.rest()).isEmpty();
      assertThat(statusesOfLists()).containsExactly(200, 200);
      assertThat(lists.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void listWhoseLaterPagesExpired_isRestarted() throws InterruptedException {
    create(
        IntStream.range(0, MORE_THAN_A_PAGE).mapToObj("e-%03d"::formatted).toArray(String[]::new));
    var isForgotten = new AtomicBoolean();
    var options =
        options()
            .slimmedBy(event -> {
              if (isForgotten.compareAndSet(false, true)) {
                delete("e-000");
                plane.forgetHistory();
              }
              return event;
            });
    try (var cache = Cache.of(client, Event.class, options)) {
      assertThat(cache.start().awaitSync(LIMIT)).isTrue();

      assertThat(cache.all()).hasSize(MORE_THAN_A_PAGE - 1);
      assertThat(cache.get(namespace, "e-000")).isEmpty();
      assertThat(statusesOfLists()).containsExactly(200, 410, 200);
    }
  }

  /// As on an API server so slow that each list takes longer than etcd remembers.
  @Test
  void aListWhosePagesAreForgottenEachTimeIsTriedWithFewerPages() throws InterruptedException {
    create(
        IntStream.range(0, MORE_THAN_A_PAGE).mapToObj("e-%03d"::formatted).toArray(String[]::new));
    var lists = new AtomicInteger();
    var options =
        options()
            .slimmedBy(event -> {
              var isFirstOfPage = event.getMetadata().getName().equals("e-000");
              if (isFirstOfPage && lists.incrementAndGet() <= 3) {
                delete("e-001");
                create("e-001");
                plane.forgetHistory();
              }
              return event;
            });
    try (var cache = Cache.of(client, Event.class, options)) {
      assertThat(cache.start().awaitSync(LIMIT)).isTrue();

      assertThat(cache.all()).hasSize(MORE_THAN_A_PAGE);
      assertThat(statusesOfLists()).startsWith(200, 410, 200).containsOnlyOnce(410);
    }
  }

  private CacheOptions<Event> options() {
    return CacheOptions.<Event>all().inNamespace(namespace);
  }

  /// The answers to the cache's lists, in their order.
  private List<Integer> statusesOfLists() {
    return plane.auditLog().requests().stream()
        .filter(request -> request.namespace().equals(namespace))
        .filter(request -> request.userAgent().equals("pitcrew") && request.verb().equals("list"))
        .map(request -> request.status())
        .toList();
  }

  private void create(String... names) {
    List.of(names).forEach(name -> plane.client().resource(event(name, "1")).create());
  }

  private void update(String name) {
    plane.client().resource(event(name, "2")).update();
  }

  private void delete(String name) {
    plane.client().v1().events().inNamespace(namespace).withName(name).delete();
  }

  private Event event(String name, String value) {
    return new EventBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .addToLabels("value", value)
        .endMetadata()
        .withNewInvolvedObject()
        .withNamespace(namespace)
        .endInvolvedObject()
        .build();
  }
}
