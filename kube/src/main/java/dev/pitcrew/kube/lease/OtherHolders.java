package dev.pitcrew.kube.lease;

import static java.net.HttpURLConnection.HTTP_FORBIDDEN;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Holders of leases of the same name in other namespaces: installations of the same software that
/// act on the same cluster.
///
/// For use by many threads: a call that ran into its deadline may go on beside the next one.
final class OtherHolders {
  private static final Logger log = LoggerFactory.getLogger(OtherHolders.class);

  /// @param changedAtNanos when this process saw it change: clocks of two machines may differ
  private record Seen(LeaseSpec spec, long changedAtNanos) {}

  private final KubernetesClient client;
  private final LeaseOptions options;
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();
  private volatile boolean hasWarned;

  OtherHolders(KubernetesClient client, LeaseOptions options) {
    this.client = client;
    this.options = options;
  }

  /// One that may be acting: its lease has a holder, and changed within its duration as this
  /// process saw it. A lease that is seen for the first time has all of its duration left.
  ///
  /// @return its namespace and its holder; empty too where leases of other namespaces cannot be
  ///   read
  Optional<String> acting() {
    try {
      var leases =
          client
              .leases()
              .inAnyNamespace()
              .withField("metadata.name", options.name())
              .list()
              .getItems();
      seen.keySet().retainAll(leases.stream().map(OtherHolders::namespace).toList());
      return leases.stream()
          .filter(lease -> !namespace(lease).equals(options.namespace()))
          .filter(this::isHeld)
          .map(lease ->
              "namespace %s (%s)".formatted(namespace(lease), lease.getSpec().getHolderIdentity()))
          .findFirst();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HTTP_FORBIDDEN) {
        throw e;
      }
      if (!hasWarned) {
        log.warn(
            "leases {} of other namespaces cannot be listed, so that another installation is not noticed: {}",
            options.name(),
            e.getMessage());
      }
      hasWarned = true;
      return Optional.empty();
    }
  }

  private boolean isHeld(Lease lease) {
    LeaseSpec spec = Objects.requireNonNullElseGet(lease.getSpec(), LeaseSpec::new);
    if (spec.getHolderIdentity() == null || spec.getHolderIdentity().isEmpty()) {
      return false;
    }
    Seen now =
        seen.compute(
            namespace(lease),
            (_, before) ->
                before != null && before.spec().equals(spec)
                    ? before
                    : new Seen(spec, System.nanoTime()));
    Duration duration =
        Optional.ofNullable(spec.getLeaseDurationSeconds())
            .map(Duration::ofSeconds)
            .orElse(options.lease());
    return System.nanoTime() - now.changedAtNanos() <= duration.toNanos();
  }

  private static String namespace(Lease lease) {
    return lease.getMetadata().getNamespace();
  }
}
