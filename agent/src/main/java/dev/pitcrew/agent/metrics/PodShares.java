package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.ProcessOrigins.Origin;
import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.core.names.AgentMetrics;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.nvml.ProcessUse;
import dev.pitcrew.hardware.nvml.SampleReader.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/// What each container uses of a GPU that it shares by time or MPS, as far as NVML reports it for
/// processes. Only containers of pods that hold a share have one.
///
/// @param all once for each container and part
record PodShares(List<Share> all) {
  static final PodShares NONE = new PodShares(List.of());

  private static final double PERCENT = 100;

  PodShares {
    all = List.copyOf(all);
  }

  /// What one container uses of one part.
  record Share(Part part, Container container, Use use) {}

  private record Container(String namespace, String pod, String name) {}

  /// What is not known is not a number, and neither is a sum of which a part is not known.
  ///
  /// @param utilisation percent of the time
  private record Use(double memoryBytes, double utilisation) {
    Use plus(Use other) {
      return new Use(memoryBytes + other.memoryBytes, utilisation + other.utilisation);
    }
  }

  /// @param host whose processes NVML names
  static PodShares of(HostRoot host, View view) {
    var shares = new ArrayList<Share>();
    Optional<ProcessOrigins> origins = Optional.empty();
    for (Part part : view.parts()) {
      List<Holder> sharing = view.holders().sharing(part);
      Optional<Sample> sample = view.samples().apply(part.gpu().index()).last();
      if (!sharing.isEmpty() && sample.isPresent()) {
        origins = origins.or(() -> Optional.of(ProcessOrigins.of(host)));
        used(part, sharing, sample.get(), origins.get())
            .forEach((container, use) -> shares.add(new Share(part, container, use)));
      }
    }
    return new PodShares(shares);
  }

  private static Map<Container, Use> used(
      Part part, List<Holder> sharing, Sample sample, ProcessOrigins origins) {
    var used = new LinkedHashMap<Container, Use>();
    for (ProcessUse process : sample.processes().all()) {
      if (process.gpuInstance() == part.instanceId()) {
        origins
            .of(process.processId())
            .filter(origin -> origins.isOlder(origin, sample.takenNanos()))
            .ifPresent(origin -> {
              // A sample of the time before it started is of another process of this number.
              boolean isMeasured = origins.isOlder(origin, sample.processes().sinceNanos());
              var use =
                  new Use(process.memoryBytes(), isMeasured ? process.utilisation() : Double.NaN);
              container(origin, sharing).ifPresent(it -> used.merge(it, use, Use::plus));
            });
      }
    }
    return used;
  }

  /// The container that the kernel reports, else the pod's only one with a share.
  private static Optional<Container> container(Origin origin, List<Holder> sharing) {
    List<Holder> ofPod = sharing.stream().filter(it -> it.uid().equals(origin.podUid())).toList();
    List<String> names = ofPod.stream().map(Holder::container).distinct().toList();
    Optional<String> name =
        origin.container().or(() -> names.stream().filter(_ -> names.size() == 1).findFirst());
    return ofPod.stream()
        .findFirst()
        .flatMap(pod -> name.map(it -> new Container(pod.namespace(), pod.pod(), it)));
  }

  static void write(Exposition page, View view) {
    write(
        page,
        view,
        AgentMetrics.POD_UTILIZATION,
        "Estimate of the time, from 0 to 1, in which the processes of a container ran on a GPU that it shares by time-slicing or MPS: what the driver samples of each process (nvmlDeviceGetProcessUtilization), summed up.",
        Field.Form.DECIMAL,
        use -> Math.min(use.utilisation() / PERCENT, 1));
    write(
        page,
        view,
        AgentMetrics.POD_MEMORY,
        "Estimate of the memory that the processes of a container use on a GPU that it shares by time-slicing or MPS: what NVML lists for each process (nvmlDeviceGetComputeRunningProcesses), summed up.",
        Field.Form.WHOLE,
        Use::memoryBytes);
  }

  private static void write(
      Exposition page,
      View view,
      String name,
      String help,
      Field.Form form,
      ToDoubleFunction<Use> value) {
    List<Share> known =
        view.shares().all().stream()
            .filter(it -> view.numbers(it.part()).isPresent())
            .filter(it -> !Double.isNaN(value.applyAsDouble(it.use())))
            .toList();
    if (!known.isEmpty()) {
      page.metric(name, Counter.Type.GAUGE, help);
      known.forEach(it -> page.sample(labels(view, it), value.applyAsDouble(it.use()), form));
    }
  }

  private static byte[] labels(View view, Share share) {
    return OwnMetrics.part(
        view,
        share.part(),
        Map.of(
            "namespace",
            share.container().namespace(),
            "pod",
            share.container().pod(),
            "container",
            share.container().name()));
  }
}
