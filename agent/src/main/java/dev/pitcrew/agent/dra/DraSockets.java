package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.context.AgentContext.KubeletRoot;
import dev.pitcrew.agent.dra.DraState.Serving;
import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.agent.sockets.ServiceSocket;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc.DRAPluginImplBase;
import dev.pitcrew.kubelet.pluginregistration.InfoRequest;
import dev.pitcrew.kubelet.pluginregistration.PluginInfo;
import dev.pitcrew.kubelet.pluginregistration.RegistrationGrpc.RegistrationImplBase;
import dev.pitcrew.kubelet.pluginregistration.RegistrationStatus;
import dev.pitcrew.kubelet.pluginregistration.RegistrationStatusResponse;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The sockets of a DRA driver (KEP-4381): `dra.sock` in the driver's folder serves claims, and the
/// one in the kubelet's registry, which the kubelet watches, names it. The kubelet registers the
/// driver, and again after its own restart; the driver only keeps the sockets there.
///
/// Only the driver of the node has them open ([DriverOwnership]).
///
/// Beside them is the port for [HealthService]. It listens on loopback alone: the kubelet probes
/// the agent by its own health pages, so nothing outside the pod has to reach a server of a
/// privileged process. Without the port claims are served all the same.
final class DraSockets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DraSockets.class);

  /// In the order of preference. The messages of both are the same.
  private static final String V1 = "v1.DRAPlugin";

  private static final String V1_BETA = "v1beta1.DRAPlugin";
  private static final String PACKAGE = "k8s.io.kubelet.pkg.apis.dra.";
  private static final String PLUGINS = "plugins";
  private static final String REGISTRY = "plugins_registry";
  private static final String SOCKET = "dra.sock";

  private final KubeletRoot root;
  private final String driver;
  private final Services services;
  private final Runnable registrations;
  private final DriverOwnership ownership;
  private final AtomicReference<Serving> serving = new AtomicReference<>(new Serving.Off());
  private Optional<DomainSockets> sockets = Optional.empty();
  private Optional<ServiceSocket> service = Optional.empty();
  private Optional<ServiceSocket> registration = Optional.empty();
  private Optional<Server> healthServer = Optional.empty();

  /// What is served.
  ///
  /// @param claims answers about claims
  /// @param devices answers about devices that pods use
  /// @param probe answers about the driver
  record Services(
      DRAPluginImplBase claims, Optional<DeviceHealthService> devices, HealthService probe) {
    private BindableService[] ofKubelet() {
      return Stream.concat(
              Stream.of(claims, underBeta(claims)), devices.<BindableService>map(it -> it).stream())
          .toArray(BindableService[]::new);
    }
  }

  /// Opens nothing yet.
  ///
  /// @param driver its name in ResourceSlices and claims
  /// @param registrations called when the kubelet has decided on a registration, and when another
  ///   driver of the name is gone
  DraSockets(KubeletRoot root, String driver, Services services, Runnable registrations) {
    this.root = root;
    this.driver = driver;
    this.services = services;
    this.registrations = registrations;
    this.ownership =
        new DriverOwnership(
            folder(root, driver), root.folder().resolve(REGISTRY), driver, registrations);
  }

  /// The folder of a driver below a kubelet's folder.
  static Path folder(KubeletRoot root, String driver) {
    return root.folder().resolve(PLUGINS).resolve(driver);
  }

  /// How the driver stands with the kubelet.
  Serving serving() {
    return serving.get();
  }

  boolean isRegistered() {
    return serving() instanceof Serving.Registered;
  }

  /// Makes this process the driver, or closes the sockets where another one is. It stays so until
  /// [#release].
  ///
  /// @return whether this process is the driver
  boolean takeOwnership() {
    Optional<String> other = ownership.take(this::isOwn);
    if (other.isPresent()) {
      closeSockets();
    }
    serving.updateAndGet(now ->
        other
            .<Serving>map(Serving.Blocked::new)
            .orElse(now instanceof Serving.Blocked ? new Serving.Off() : now));
    return other.isEmpty();
  }

  /// To be called once no call of the kubelet is under way.
  void release() {
    ownership.release();
  }

  private boolean isOwn(Path socket) {
    return registration.filter(it -> it.isAt(socket) && it.isInPlace()).isPresent();
  }

  /// Makes the sockets that are missing: the driver's own first, for the kubelet calls as soon as
  /// the other one is there.
  ///
  /// @return what is wrong, and what to do
  List<String> keep() {
    try {
      Path folder = folder(root, driver);
      DomainSockets open = sockets.orElseGet(DomainSockets::new);
      sockets = Optional.of(open);
      if (service.filter(ServiceSocket::isInPlace).isEmpty()) {
        service.ifPresent(ServiceSocket::close);
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        service =
            Optional.of(ServiceSocket.open(open, folder.resolve(SOCKET), services.ofKubelet()));
      }
      if (registration.filter(ServiceSocket::isInPlace).isEmpty()) {
        registration.ifPresent(ServiceSocket::close);
        Path registry = Files.createDirectories(root.folder().resolve(REGISTRY));
        Path socket = registry.resolve(driver + "-reg.sock");
        registration = Optional.of(ServiceSocket.open(open, socket, new RegistrationService()));
        LOG.atInfo().addKeyValue("socket", socket).log("the DRA driver waits for the kubelet");
      }
      serving.updateAndGet(now ->
          now instanceof Serving.Off || now instanceof Serving.Failed
              ? new Serving.Waiting()
              : now);
      return keepHealth(open).stream().toList();
    } catch (IOException e) {
      String reason =
          "the DRA driver %s cannot serve the kubelet below %s: %s; make it writable for the agent"
              .formatted(driver, root.folder(), e);
      serving.set(new Serving.Failed(reason));
      return List.of(reason);
    }
  }

  private Optional<String> keepHealth(DomainSockets open) {
    if (healthServer.isPresent()) {
      return Optional.empty();
    }
    HealthService probe = services.probe();
    try {
      healthServer = Optional.of(open.loopbackServer(probe.port(), probe).start());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "the health of the DRA driver %s is not served on port %d: %s; end what has the port (ss -ltnp). Claims are served; trying again"
              .formatted(driver, probe.port(), causes(e)));
    }
  }

  private static String causes(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? String.valueOf(failure.getMessage()) : causes(cause);
  }

  /// Ends the registration, and serves claims no longer. The kubelet deletes the ResourceSlices of
  /// the node 30 seconds after the registry's socket is gone, unless it is back by then.
  @Override
  public void close() {
    closeSockets();
    ownership.close();
    serving.set(new Serving.Off());
  }

  private void closeSockets() {
    healthServer.ifPresent(Server::shutdownNow);
    healthServer = Optional.empty();
    registration.ifPresent(ServiceSocket::close);
    services.devices().ifPresent(DeviceHealthService::endStreams);
    service.ifPresent(ServiceSocket::closeGently);
    registration = Optional.empty();
    service = Optional.empty();
    sockets.ifPresent(DomainSockets::close);
    sockets = Optional.empty();
  }

  /// The same service under the name of the earlier version.
  private static BindableService underBeta(BindableService v1) {
    return () -> {
      String name = PACKAGE + V1_BETA;
      var definition = ServerServiceDefinition.builder(name);
      v1.bindService().getMethods().forEach(method -> definition.addMethod(under(name, method)));
      return definition.build();
    };
  }

  private static <Q, A> ServerMethodDefinition<Q, A> under(
      String service, ServerMethodDefinition<Q, A> method) {
    MethodDescriptor<Q, A> known = method.getMethodDescriptor();
    String name = String.valueOf(known.getBareMethodName());
    return ServerMethodDefinition.create(
        known.toBuilder()
            .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
            .setSchemaDescriptor(null)
            .build(),
        method.getServerCallHandler());
  }

  private final class RegistrationService extends RegistrationImplBase {
    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> to) {
      to.onNext(
          PluginInfo.newBuilder()
              .setType("DRAPlugin")
              .setName(driver)
              .setEndpoint(String.join("/", root.onHost(), PLUGINS, driver, SOCKET))
              .addAllSupportedVersions(
                  Stream.concat(
                          Stream.of(V1, V1_BETA),
                          services.devices().map(_ -> DeviceHealthService.VERSION).stream())
                      .toList())
              .build());
      to.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(
        RegistrationStatus status, StreamObserver<RegistrationStatusResponse> to) {
      if (status.getPluginRegistered()) {
        serving.set(new Serving.Registered());
        registrations.run();
        to.onNext(RegistrationStatusResponse.getDefaultInstance());
        to.onCompleted();
      } else {
        serving.set(
            new Serving.Failed(
                "the kubelet refuses the DRA driver %s: %s".formatted(driver, status.getError())));
        registrations.run();
        to.onError(
            Status.UNKNOWN
                .withDescription("failed registration process: " + status.getError())
                .asException());
      }
    }
  }
}
