package dev.pitcrew.agent.dra.domains;

import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.dra.claims.CheckpointPlace;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.TestClaim;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.domains.plan.DomainNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// A node of the recordings with an NVLink clique, below one folder, and its API server.
final class DomainBed implements AutoCloseable {
  static final String NODE = "node-a";
  static final String CLIQUE = "00000000-0000-0000-0000-000000000001.0";
  static final String DOMAIN = "dddddddd-0000-4000-8000-000000000001";
  static final String BOOT = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb";
  static final String STATUS =
      "/apis/resource.nvidia.com/v1beta1/namespaces/team/computedomains/dom";

  /// Far longer than any step: a wait of that length has missed an event.
  static final Duration LONG = Duration.ofMinutes(2);

  private final Path folder;
  private final FakeApiServer fake;
  private final ApiServer server;
  final ObjectStore objects = new ObjectStore();

  DomainBed(Path folder) {
    this.folder = folder;
    fake = FakeApiServer.saying(folder, objects::answer);
    server = fake.server();
  }

  /// As the recordings have its numbers.
  static DomainNode node() {
    return new DomainNode(
        NODE, Optional.of(CLIQUE), 235, Optional.of(new DomainNode.Capability(234, 33)));
  }

  static DomainNode withoutFabric() {
    return new DomainNode(NODE, Optional.empty(), 235, Optional.empty());
  }

  DomainPreparer preparer() {
    return preparer(_ -> {});
  }

  DomainPreparer preparer(Consumer<DomainPreparer.Step> steps) {
    return DomainPreparer.open(
        new DomainPlaces(
            new CheckpointPlace(plugin(), NODE, BOOT),
            Path.of("/var/lib/kubelet/plugins/compute-domain.nvidia.com"),
            new SpecificationFolder(cdi()).forOwnerOnly(),
            server),
        (_, _) -> {},
        steps);
  }

  Path plugin() {
    return folder.resolve("plugins/compute-domain.nvidia.com");
  }

  Path checkpoint() {
    return plugin().resolve("checkpoint.json");
  }

  Path cdi() {
    return folder.resolve("cdi");
  }

  List<String> cdiFiles() {
    return names(cdi());
  }

  List<String> domainFolders() {
    return names(plugin().resolve("domains"));
  }

  private static List<String> names(Path folder) {
    if (Files.notExists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(it -> it.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// With the domain of its namespace.
  static ClaimObject channel(String name) {
    return channel(name, DOMAIN, "Single");
  }

  static ClaimObject channel(String name, String domain, String mode) {
    return claim(
        name,
        "channel-0",
        "{\"apiVersion\":\"resource.nvidia.com/v1beta1\",\"kind\":\"ComputeDomainChannelConfig\",\"domainID\":\"%s\",\"allocationMode\":\"%s\"}"
            .formatted(domain, mode));
  }

  static ClaimObject daemon(String name) {
    return claim(
        name,
        "daemon-0",
        "{\"apiVersion\":\"resource.nvidia.com/v1beta1\",\"kind\":\"ComputeDomainDaemonConfig\",\"domainID\":\"%s\"}"
            .formatted(DOMAIN));
  }

  static ClaimObject claim(String name, String device, String settings) {
    return TestClaim.of(
        Facts.parse(
            "{\"name\":\"%s\",\"devices\":[{\"request\":\"r\",\"driver\":\"compute-domain.nvidia.com\",\"device\":\"%s\"}],\"config\":[{\"source\":\"FromClaim\",\"driver\":\"compute-domain.nvidia.com\",\"parameters\":%s}]}"
                .formatted(name, device, settings)),
        "uid-" + name);
  }

  /// Empty for a claim that is prepared.
  static String reason(PrepareOutcome outcome) {
    return switch (outcome) {
      case PrepareOutcome.Prepared _ -> "";
      case PrepareOutcome.Refused(var reason) -> reason;
      case PrepareOutcome.NotReady(var reason) -> reason;
      case PrepareOutcome.Failed(var reason) -> reason;
    };
  }

  /// The node is ready in the domain `team/dom`.
  void ready() {
    objects.domain(DOMAIN, "team", "dom");
    objects.clique(DOMAIN + "." + CLIQUE, NODE, "Ready");
  }

  @Override
  public void close() {
    server.close();
    fake.close();
  }
}
