package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.MetricsSettings;
import dev.pitcrew.core.ThreadEnd;
import dev.pitcrew.core.web.Answer;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSamples.Seen;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Samples the GPUs on a thread of its own and answers scrapes from what it has: no scrape waits
/// for NVML, for the kubelet or for a disk.
public final class Metrics implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);

  private final MetricsSettings settings;
  private final HostRoot host;
  private final AtomicReference<Wanted> wanted;
  private final AtomicReference<Rows> rows;
  private final Semaphore wakes = new Semaphore(0);
  private final AtomicInteger rounds = new AtomicInteger();
  private final View.Logs logs;
  private final Around around;
  private final CpuReader cpus;
  private final Thread thread;

  // Of the thread alone.
  private final UnsupportedFields unsupported = new UnsupportedFields(LOG::info);
  private Optional<GpuSettings> opened = Optional.empty();
  private Optional<SampledDriver> sampled = Optional.empty();
  private Optional<PodSource> pods = Optional.empty();
  private Holders holders;
  private Jobs jobs = Jobs.NONE;
  private Optional<String> driver = Optional.of("not looked at yet");

  /// What is asked besides the driver and the kubelet.
  ///
  /// @param counters where other counters come from
  public record Around(Optional<CountersFile> counters, PodMarks marks) {
    public static final Around NOTHING = new Around(Optional.empty(), PodMarks.UNKNOWN);
  }

  /// What is to be sampled.
  ///
  /// @param gpus where the driver is; empty while it must be left alone
  /// @param why it must
  /// @param inventory the GPUs as they are known
  /// @param counters what is wrong with their list
  private record Wanted(
      Optional<GpuSettings> gpus,
      String why,
      Optional<Inventory> inventory,
      SamplePlan plan,
      Optional<String> counters) {
    static Wanted first(CountersInForce counters) {
      return new Wanted(
          Optional.empty(),
          "not looked at yet",
          Optional.empty(),
          SamplePlan.of(counters.list()),
          counters.problem());
    }

    Wanted at(Optional<GpuSettings> driver, String unless, Optional<Inventory> found) {
      return new Wanted(driver, unless, found, plan, counters);
    }

    Wanted with(CountersInForce now) {
      return new Wanted(gpus, why, inventory, SamplePlan.of(now.list()), now.problem());
    }
  }

  private Metrics(
      MetricsSettings settings, HostRoot host, CountersInForce counters, Around around) {
    this.settings = settings;
    this.host = host;
    this.around = around;
    cpus = new CpuReader(host);
    logs = View.Logs.of(settings);
    holders = Holders.none(settings.pods());
    wanted = new AtomicReference<>(Wanted.first(counters));
    rows = new AtomicReference<>(Rows.of(view(wanted.get())));
    thread = Thread.ofVirtual().name("metrics").unstarted(this::run);
  }

  /// @param counters to begin with
  /// @param around where more comes from, while they are served
  public static Metrics start(
      MetricsSettings settings, HostRoot host, CountersInForce counters, Around around) {
    var metrics = new Metrics(settings, host, counters, around);
    metrics.thread.start();
    return metrics;
  }

  /// The driver answers, and these are its GPUs.
  public void follow(GpuSettings driverAt, Inventory inventory) {
    change(now -> now.at(Optional.of(driverAt), "", Optional.of(inventory)));
  }

  /// The driver is not there, or another program needs it exclusively: NVML is closed at once.
  public void leave(String why) {
    change(now -> now.at(Optional.empty(), why, now.inventory()));
  }

  /// Other counters from now on, or the same and why they are not the ones that are written.
  public void count(CountersInForce counters) {
    change(now -> now.with(counters));
  }

  /// Reads the counters file again, whether it seems to have changed or not.
  public void reread() {
    around.counters().ifPresent(CountersFile::doubt);
    wakes.release();
  }

  private void change(UnaryOperator<Wanted> change) {
    Wanted before = wanted.getAndUpdate(change);
    if (!before.equals(wanted.get())) {
      wakes.release();
    }
  }

  /// How often all GPUs were read.
  public int rounds() {
    return rounds.get();
  }

  /// What Prometheus gets.
  ///
  /// @param accept the request's header
  public Answer page(String accept) {
    var form = Exposition.Form.of(accept);
    Rows newest = rows.get();
    return new Answer(200, form.contentType(), to -> MetricsPage.write(newest, form, to));
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        long next = System.nanoTime() + settings.interval().toNanos();
        round();
        rounds.incrementAndGet();
        if (wakes.tryAcquire(next - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          wakes.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("metrics end");
    } finally {
      shut();
      pods.ifPresent(PodSource::close);
    }
  }

  /// A fault of one round must not end them for good.
  private void round() {
    try {
      around
          .counters()
          .flatMap(CountersFile::changed)
          .ifPresent(counters -> wanted.updateAndGet(it -> it.with(counters)));
      Wanted now = wanted.get();
      reopen(now);
      if (sampled.isPresent() && now.inventory().isPresent()) {
        sampled.get().round(now.plan(), now.inventory().get(), holders);
        sampling().ifPresent(it -> it.unsupported(now.inventory().get()).forEach(unsupported::add));
        if (sampling().filter(it -> it.isDead(now.inventory().get())).isPresent()) {
          // The driver may have been reloaded before any caller could report it.
          shut();
        }
      }
      var problems = new HashMap<String, String>();
      now.counters().ifPresent(why -> problems.put("counters", why));
      askForPods(problems);
      settings
          .jobFolder()
          .ifPresent(folder -> {
            jobs = Jobs.read(host.place(folder));
            jobs.problem().ifPresent(why -> problems.put("jobs", why));
          });
      View view = view(now);
      logs.use().add(view);
      View whole = view.with(PodShares.of(host, view), Cpus.of(cpus, view));
      rows.set(Rows.of(whole.with(problems)));
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a round of metrics failed");
    }
  }

  private void reopen(Wanted now) {
    boolean isUnopened = now.gpus().isPresent() && sampled.isEmpty();
    if (isUnopened || !now.gpus().equals(opened)) {
      shut();
      opened = now.gpus();
      driver = now.gpus().isEmpty() ? Optional.of(now.why()) : Optional.empty();
      now.gpus().ifPresent(this::open);
    }
  }

  private void open(GpuSettings at) {
    var answer = Gpus.open(at);
    sampled = answer.toOptional().map(gpus -> new SampledDriver(gpus, logs));
    driver = Optional.of(answer.reason()).filter(why -> !why.isEmpty());
  }

  private void shut() {
    sampled.ifPresent(SampledDriver::close);
    sampled = Optional.empty();
  }

  private Optional<Sampling> sampling() {
    return sampled.flatMap(SampledDriver::shown);
  }

  private void askForPods(Map<String, String> problems) {
    if (!settings.pods().isOn()) {
      return;
    }
    if (pods.isEmpty()) {
      pods = Optional.of(new PodSource(host, settings.pods()));
    }
    var answer = pods.get().read(holders);
    holders = answer.holders();
    answer.problem().ifPresent(why -> problems.put("pods", why));
  }

  private View view(Wanted now) {
    Optional<Sampling> at = sampling();
    SamplePlan plan = at.map(Sampling::plan).orElse(now.plan());
    return new View(
        settings,
        plan,
        now.inventory().map(Inventory::gpus).orElse(List.of()),
        now.inventory().map(it -> it.driver().driver()).orElse(""),
        at.<IntFunction<Seen>>map(it -> it.samples()::of).orElse(View.UNSEEN),
        at.map(Sampling::rates).orElseGet(() -> new Rates(plan)),
        logs,
        at.map(Sampling::texts).orElse(Map.of()),
        at.map(Sampling::peers).orElse(Map.of()),
        holders,
        around.marks(),
        jobs,
        PodShares.NONE,
        Cpus.NONE,
        driver,
        Map.of());
  }

  /// Closes NVML.
  @Override
  public void close() {
    ThreadEnd.of(thread);
  }
}
