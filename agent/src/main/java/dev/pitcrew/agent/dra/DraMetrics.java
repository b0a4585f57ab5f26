package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.core.exposition.MetricLabel;
import dev.pitcrew.core.exposition.MetricType;
import dev.pitcrew.core.exposition.TextExposition;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Counts the kubelet's calls about claims, by DRA driver. Names, labels and buckets are those of
/// NVIDIA's DRA drivers; why claims are not prepared is counted beside them, with more detail.
/// There is nothing to read on a node that does not serve claims.
public final class DraMetrics {
  private static final List<Double> BUCKETS = buckets();
  private static final double FIRST_BUCKET_SECONDS = 0.05;
  private static final int BUCKET_COUNT = 9;
  private static final double NANOS = 1e9;

  private final MetricLabel node;
  private final ConcurrentSkipListMap<String, OfDriver> drivers = new ConcurrentSkipListMap<>();

  /// What the kubelet calls the driver for.
  enum Operation {
    PREPARE,
    UNPREPARE;

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Why a claim is not prepared.
  enum PrepareError {
    /// The API server does not return the claim, or returns another one.
    CLAIM_UNREADABLE("ClaimUnreadable"),
    /// The driver of the node does not answer, or the node was not looked at yet.
    NODE_NOT_READY("NodeNotReady"),
    /// What the claim is allocated or asks for cannot be had on this node.
    REFUSED("Refused"),
    /// The node did not do what it was to do.
    FAILED("Failed");

    private final String reason;

    PrepareError(String reason) {
      this.reason = reason;
    }

    /// Whether NVIDIA's driver counts it, too: its claims are read before it counts.
    private boolean isOfReference() {
      return this == REFUSED || this == FAILED;
    }
  }

  /// Those of one operation.
  private static final class Calls {
    private final LongAdder total = new LongAdder();
    private final AtomicLong inFlight = new AtomicLong();
    private final DoubleAdder seconds = new DoubleAdder();
    private final List<LongAdder> atMost = BUCKETS.stream().map(_ -> new LongAdder()).toList();

    void ended(double took) {
      inFlight.decrementAndGet();
      seconds.add(took);
      for (int bucket = 0; bucket < BUCKET_COUNT; bucket++) {
        if (took <= BUCKETS.get(bucket)) {
          atMost.get(bucket).increment();
        }
      }
      total.increment();
    }
  }

  /// @param node the name of the Node
  public DraMetrics(String node) {
    this.node = new MetricLabel("node", node);
  }

  private static List<Double> buckets() {
    return IntStream.range(0, BUCKET_COUNT)
        .mapToObj(power -> FIRST_BUCKET_SECONDS * (1 << power))
        .toList();
  }

  /// @param driver as claims name it
  OfDriver of(String driver) {
    return drivers.computeIfAbsent(driver, OfDriver::new);
  }

  /// Those of one DRA driver.
  static final class OfDriver {
    private final MetricLabel driver;
    private final Calls prepares = new Calls();
    private final Calls unprepares = new Calls();
    private final ConcurrentSkipListMap<PrepareError, LongAdder> prepareErrors =
        new ConcurrentSkipListMap<>();
    private final LongAdder unprepareErrors = new LongAdder();
    private volatile Optional<Supplier<Collection<PreparedClaim>>> claims = Optional.empty();

    private OfDriver(String name) {
      this.driver = new MetricLabel("driver", name);
    }

    /// From now on there is something to read.
    ///
    /// @param prepared returns the claims of the checkpoint
    void serve(Supplier<Collection<PreparedClaim>> prepared) {
      claims = Optional.of(prepared);
    }

    void stop() {
      claims = Optional.empty();
    }

    /// Counts one call, however it ends.
    void call(Operation operation, Runnable work) {
      Calls counted = of(operation);
      counted.inFlight.incrementAndGet();
      long began = System.nanoTime();
      try {
        work.run();
      } finally {
        counted.ended((System.nanoTime() - began) / NANOS);
      }
    }

    boolean isIdle() {
      return Stream.of(Operation.values()).allMatch(it -> of(it).inFlight.get() == 0);
    }

    void failed(PrepareError error) {
      prepareErrors.computeIfAbsent(error, _ -> new LongAdder()).increment();
    }

    void unprepareFailed() {
      unprepareErrors.increment();
    }

    private Calls of(Operation operation) {
      return switch (operation) {
        case PREPARE -> prepares;
        case UNPREPARE -> unprepares;
      };
    }

    private List<MetricLabel> labels(Operation operation) {
      return List.of(driver, new MetricLabel("operation", operation.text()));
    }

    private long referenceErrors() {
      return prepareErrors.entrySet().stream()
          .filter(error -> error.getKey().isOfReference())
          .mapToLong(error -> error.getValue().sum())
          .sum();
    }
  }

  public void write(TextExposition page) {
    List<OfDriver> serving =
        drivers.values().stream().filter(driver -> driver.claims.isPresent()).toList();
    if (!serving.isEmpty()) {
      calls(page, serving);
      devices(page, serving);
      errors(page, serving);
    }
  }

  private static void calls(TextExposition page, List<OfDriver> drivers) {
    page.metric(
        "nvidia_dra_requests_total",
        MetricType.COUNTER,
        "Calls of the kubelet that were answered.");
    each(
        drivers,
        (driver, operation) ->
            page.sample(driver.labels(operation), (double) driver.of(operation).total.sum()));
    page.metric(
        "nvidia_dra_requests_inflight",
        MetricType.GAUGE,
        "Calls of the kubelet that are not answered yet.");
    each(
        drivers,
        (driver, operation) ->
            page.sample(driver.labels(operation), (double) driver.of(operation).inFlight.get()));
    page.metric(
        "nvidia_dra_request_duration_seconds",
        MetricType.HISTOGRAM,
        "How long calls of the kubelet took.");
    each(
        drivers,
        (driver, operation) -> {
          Calls counted = driver.of(operation);
          var buckets = new TreeMap<Double, Long>();
          for (int bucket = 0; bucket < BUCKET_COUNT; bucket++) {
            buckets.put(BUCKETS.get(bucket), counted.atMost.get(bucket).sum());
          }
          page.histogram(
              driver.labels(operation), buckets, counted.total.sum(), counted.seconds.sum());
        });
  }

  private static void each(List<OfDriver> drivers, BiConsumer<OfDriver, Operation> work) {
    for (OfDriver driver : drivers) {
      for (Operation operation : Operation.values()) {
        work.accept(driver, operation);
      }
    }
  }

  private void devices(TextExposition page, List<OfDriver> drivers) {
    page.metric(
        "nvidia_dra_prepared_devices",
        MetricType.GAUGE,
        "Devices of claims that are prepared, by type; a device that claims share counts for each.");
    for (OfDriver driver : drivers) {
      Collection<PreparedClaim> prepared = driver.claims.map(Supplier::get).orElse(List.of());
      for (PreparedClaim.DeviceType type : PreparedClaim.DeviceType.values()) {
        page.sample(
            List.of(node, driver.driver, new MetricLabel("device_type", type.text())),
            (double) prepared.stream().mapToLong(claim -> claim.devicesOf(type)).sum());
      }
    }
  }

  private void errors(TextExposition page, List<OfDriver> drivers) {
    errors(
        page,
        "nvidia_dra_node_prepare_errors_total",
        "prepare_devices",
        drivers,
        OfDriver::referenceErrors);
    errors(
        page,
        "nvidia_dra_node_unprepare_errors_total",
        "unprepare_devices",
        drivers,
        driver -> driver.unprepareErrors.sum());
    List<OfDriver> failed =
        drivers.stream().filter(driver -> !driver.prepareErrors.isEmpty()).toList();
    if (!failed.isEmpty()) {
      page.metric(
          "pitcrew_dra_prepare_failures_total",
          MetricType.COUNTER,
          "Claims that were not prepared when the kubelet asked for it, by reason.");
      failed.forEach(driver ->
          driver.prepareErrors.forEach((error, count) ->
              page.sample(
                  List.of(node, driver.driver, new MetricLabel("reason", error.reason)),
                  (double) count.sum())));
    }
  }

  /// None before the first, as with NVIDIA's drivers.
  private static void errors(
      TextExposition page,
      String name,
      String type,
      List<OfDriver> drivers,
      ToLongFunction<OfDriver> count) {
    List<OfDriver> failed =
        drivers.stream().filter(driver -> count.applyAsLong(driver) > 0).toList();
    if (!failed.isEmpty()) {
      page.metric(name, MetricType.COUNTER, "Claims for which the call of the kubelet failed.");
      failed.forEach(driver ->
          page.sample(
              List.of(driver.driver, new MetricLabel("error_type", type)),
              (double) count.applyAsLong(driver)));
    }
  }
}
