package dev.pitcrew.cli.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.cli.cluster.Policy.Kind;
import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reads the objects that the commands need. Lists are read side by side: each method begins to
/// read, and what it returns waits for the end.
public final class ClusterReading {
  static final String GROUP = "/apis/pitcrew.dev";
  static final String VERSION = "v1alpha1";
  private static final String INSTALL =
      "install Pitcrew as its page docs/install.md says, or choose another cluster with --context";

  private static final long SLOW_SECONDS = 2;

  private final Kubectl kubectl;
  private final Runnable slow;
  private final AtomicBoolean isSlow = new AtomicBoolean();

  /// @param slow called once, where an answer takes longer than a user waits without a word
  public ClusterReading(Kubectl kubectl, Runnable slow) {
    this.kubectl = kubectl;
    this.slow = slow;
  }

  /// Of a cluster without Pitcrew the exception says so.
  public Supplier<List<GpuNode>> gpuNodes() {
    return begin(() -> {
      try {
        return list(Listing.GPU_NODES);
      } catch (RefusedException refused) {
        throw explained(refused);
      }
    });
  }

  /// Asks for one GPUNode, to find out at once whether the cluster answers.
  ///
  /// @throws RefusedException as [#gpuNodes] does
  public void requireGpuNodes() {
    try {
      var _ = kubectl.get(Listing.GPU_NODES.path() + "?limit=1");
    } catch (RefusedException refused) {
      throw explained(refused);
    }
  }

  private RefusedException explained(RefusedException refused) {
    return refused.kind() == Refusal.Kind.NOT_FOUND ? noPitcrew() : refused;
  }

  /// The same; empty where the user may not list them, or the cluster has none of the kind.
  public Supplier<Optional<List<GpuNode>>> gpuNodesIfAny() {
    return unlessForbidden(Listing.GPU_NODES);
  }

  public Supplier<GpuNode> gpuNode(String name) {
    return begin(() -> GpuNode.of(kubectl.get(Listing.GPU_NODES.path() + "/" + name)));
  }

  /// ClusterPolicies; none where the cluster does not know the kind.
  public Supplier<List<Policy>> policies() {
    return begin(() -> {
      try {
        return list(Listing.policies(Kind.CLUSTER_POLICY));
      } catch (RefusedException refused) {
        if (refused.kind() == Refusal.Kind.NOT_FOUND) {
          return List.of();
        }
        throw refused;
      }
    });
  }

  /// Policies of one kind; empty where the user may not list them, or the cluster has none of the
  /// kind.
  public Supplier<Optional<List<Policy>>> policiesIfAny(Kind kind) {
    return unlessForbidden(Listing.policies(kind));
  }

  /// Of the FleetPolicy; empty where there is none, or the user may not list them.
  public Supplier<Optional<FleetSettings>> fleetSettings() {
    var all = unlessForbidden(Listing.FLEET_SETTINGS);
    return () -> all.get().flatMap(it -> it.stream().findFirst());
  }

  /// Pods that have GPUs of a node; empty where the user may not list the pods of all namespaces.
  public Supplier<Optional<List<Pod>>> holders() {
    return unlessForbidden(Listing.HOLDERS);
  }

  /// Nodes of which pods that ask for GPUs need to know; empty where the user may not list nodes.
  public Supplier<Optional<List<KubeNode>>> nodes() {
    return unlessForbidden(Listing.NODES);
  }

  /// One object or document, as it is.
  public Supplier<Json> object(String path) {
    return begin(() -> kubectl.get(path));
  }

  /// Anything else, beside the others.
  <T> Supplier<T> reading(Supplier<T> reading) {
    return begin(reading);
  }

  /// A whole list, with all fields of its items.
  public <T> Supplier<List<T>> all(String path, Function<Json, T> reader) {
    return begin(() -> {
      var items = new ArrayList<T>();
      kubectl.listWhole(path, item -> items.add(reader.apply(item)), items::clear);
      return items;
    });
  }

  /// The same; empty where the user may not list them, or the cluster has none of the kind.
  public <T> Supplier<Optional<List<T>>> allIfAny(String path, Function<Json, T> reader) {
    Supplier<List<T>> all = all(path, reader);
    return () -> {
      try {
        return Optional.of(all.get());
      } catch (RefusedException refused) {
        if (refused.kind() == Refusal.Kind.FORBIDDEN || refused.kind() == Refusal.Kind.NOT_FOUND) {
          return Optional.empty();
        }
        throw refused;
      }
    };
  }

  /// Names of the nodes that a selector matches.
  ///
  /// @param selector of labels, as kubectl takes it
  public Supplier<Set<String>> nodeNames(String selector) {
    return begin(() ->
        Set.copyOf(
            list(
                Listing.all(
                    "/api/v1/nodes?labelSelector=" + URLEncoder.encode(selector, UTF_8),
                    it -> it.at("metadata", "name").text()))));
  }

  public Supplier<Pod> pod(String namespace, String name) {
    return begin(() -> Pod.of(kubectl.get(podPath(namespace) + "/" + name)));
  }

  /// Names of the pods of a namespace.
  public Supplier<Optional<List<String>>> podNames(String namespace) {
    return unlessForbidden(Listing.all(podPath(namespace), it -> it.at("metadata", "name").text()));
  }

  /// Why the controllers of a namespace could not make pods, such as for a quota.
  public Supplier<Optional<List<FailedCreation>>> failedCreations(String namespace) {
    return unlessForbidden(
        Listing.all(
            "/api/v1/namespaces/" + namespace + "/events?fieldSelector=reason=FailedCreate",
            FailedCreation::of));
  }

  /// Which of the claims of a namespace are allocated, by name.
  public Supplier<Optional<List<ClaimState>>> claims(String namespace) {
    return unlessForbidden(
        Listing.all(
            "/apis/resource.k8s.io/v1/namespaces/" + namespace + "/resourceclaims",
            ClaimState::of));
  }

  /// The namespace of the kubeconfig's context.
  public String namespace() {
    String namespace = kubectl.config("{..namespace}");
    return namespace.isEmpty() ? "default" : namespace;
  }

  /// Where the API server is, for messages; empty where even the kubeconfig does not say it.
  public String server() {
    try {
      return kubectl.config("{.clusters[0].cluster.server}");
    } catch (RefusedException _) {
      return "";
    }
  }

  public String kubernetesVersion() {
    return kubectl.get("/version").at("gitVersion").text();
  }

  /// Versions of the API in which the cluster has GPUNodes; empty where it has no Pitcrew.
  public List<String> apiVersions() {
    try {
      return kubectl.get(GROUP).at("versions").items().stream()
          .map(it -> it.at("version").text())
          .toList();
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.NOT_FOUND) {
        return List.of();
      }
      throw refused;
    }
  }

  private static String podPath(String namespace) {
    return "/api/v1/namespaces/" + namespace + "/pods";
  }

  private RefusedException noPitcrew() {
    List<String> versions = apiVersions();
    return new RefusedException(
        new Refusal(
            Refusal.Kind.NOT_FOUND,
            versions.isEmpty() || versions.contains(VERSION)
                ? "there is no Pitcrew in this cluster, as it does not serve gpunodes of pitcrew.dev: "
                    + INSTALL
                : "this cluster has pitcrew.dev in %s, and this plugin reads gpunodes of %s: use the plugin of the version that is installed"
                    .formatted(String.join(", ", versions), VERSION)));
  }

  private <T> Supplier<Optional<List<T>>> unlessForbidden(Listing<T> listing) {
    return begin(() -> {
      try {
        return Optional.of(list(listing));
      } catch (RefusedException refused) {
        if (refused.kind() == Refusal.Kind.FORBIDDEN || refused.kind() == Refusal.Kind.NOT_FOUND) {
          return Optional.empty();
        }
        throw refused;
      }
    });
  }

  private <T> List<T> list(Listing<T> listing) {
    var items = new ArrayList<T>();
    kubectl.list(listing.path(), item -> listing.read(item).ifPresent(items::add), items::clear);
    return items;
  }

  private <T> Supplier<T> begin(Supplier<T> reading) {
    var task = new FutureTask<T>(reading::get);
    Thread.ofPlatform().daemon().start(task);
    return () -> end(task);
  }

  private <T> T end(FutureTask<T> task) {
    try {
      return await(task);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new RefusedException(new Refusal(Refusal.Kind.INTERRUPTED, ""));
    }
  }

  private <T> T await(FutureTask<T> task) throws InterruptedException, ExecutionException {
    try {
      return task.get(SLOW_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      if (isSlow.compareAndSet(false, true)) {
        slow.run();
      }
      return task.get();
    }
  }
}
