package dev.pitcrew.cli.diag;

import dev.pitcrew.cli.diag.Bundle.Piece;
import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// Reads what a bundle has, several requests at a time, and writes it in the order in which it is
/// most useful, so that what does not fit is the least useful.
final class Collector {
  private static final int THREADS = 8;

  /// Answers that are kept until those before them are written.
  private static final int WINDOW = 2 * THREADS;

  private static final int MOST_LOG = 1 << 20;
  private static final int MOST_METRICS = 4 << 20;
  private static final int MOST_OBJECTS = 2000;

  /// What the kubelet sends of a log at most, of which the end is kept.
  private static final String LOG_LIMITS = "&timestamps=true&tailLines=20000&limitBytes=16777216";

  /// The agent answers them out of what it knows, one at a time.
  private static final List<List<String>> DIAGNOSES =
      List.of(
          List.of("pitcrew", "validate"),
          List.of("pitcrew", "inventory"),
          List.of("pitcrew", "runtime", "plan"));

  /// What answers a request.
  private enum Answerer {
    API_SERVER,
    KUBELET,
    /// One that hangs, as it may where a GPU does, says nothing about its kubelet.
    AGENT
  }

  /// One or more requests that belong together.
  ///
  /// @param title for messages
  /// @param node of the kubelet or the agent that answers; empty for the API server
  private record Job(String title, Answerer answerer, String node, Supplier<List<Piece>> read) {}

  private final Kubectl lists;
  private final Kubectl nodes;
  private final Bundle bundle;
  private final Progress progress;
  private final Optional<Instant> since;
  private final Instant now;

  /// Nodes that have let a request time out: another one would wait as long.
  private final Set<String> silent = ConcurrentHashMap.newKeySet();

  /// By node: an agent that is busy with one command refuses the next.
  private final Map<String, ReentrantLock> agents = new ConcurrentHashMap<>();

  /// @param lists for requests that the API server answers
  /// @param nodes for those that a node answers
  /// @param since from when on Events and logs matter; empty for all
  Collector(
      Kubectl lists,
      Kubectl nodes,
      Bundle bundle,
      Progress progress,
      Optional<Duration> since,
      Instant now) {
    this.lists = lists;
    this.nodes = nodes;
    this.bundle = bundle;
    this.progress = progress;
    this.since = since.map(now::minus);
    this.now = now;
  }

  /// @param asksAgents whether commands are run in the pods of agents
  void collect(Selection selection, String namespace, boolean asksAgents)
      throws IOException, InterruptedException {
    Resource podList = Resource.pods(selection, namespace);
    var pods = new ArrayList<Json>();
    run(
        List.of(
            new Job(
                podList.path(),
                Answerer.API_SERVER,
                "",
                () -> {
                  pods.addAll(read(podList));
                  return pieces(podList, pods);
                })));
    var jobs = new ArrayList<Job>();
    for (Resource resource : Resource.all(selection, namespace)) {
      jobs.add(
          new Job(
              resource.path(), Answerer.API_SERVER, "", () -> pieces(resource, read(resource))));
    }
    if (asksAgents) {
      List<Json> agents = Selection.agents(pods);
      for (List<String> command : DIAGNOSES) {
        agents.forEach(it -> jobs.add(diagnosis(it, command)));
      }
    }
    List<Selection.Log> logs = Selection.logs(pods);
    logs.stream().limit(Selection.MOST_LOGS).forEach(it -> jobs.add(log(it)));
    if (logs.size() > Selection.MOST_LOGS) {
      bundle.leftOut(
          "%d of %d logs: --node NAME collects those of a node"
              .formatted(logs.size() - Selection.MOST_LOGS, logs.size()));
    }
    Selection.metrics(pods).stream()
        .limit(Selection.MOST_LOGS)
        .forEach(it -> jobs.add(metrics(it)));
    run(jobs);
  }

  private void run(List<Job> jobs) throws IOException, InterruptedException {
    record Begun(Job job, Future<List<Piece>> pieces) {}
    var begun = new ArrayDeque<Begun>();
    Iterator<Job> rest = jobs.iterator();
    int done = 0;
    ExecutorService threads =
        Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());
    try {
      while (rest.hasNext() || !begun.isEmpty()) {
        while (rest.hasNext() && begun.size() < WINDOW) {
          Job job = rest.next();
          begun.add(new Begun(job, threads.submit(() -> ask(job))));
        }
        Begun first = begun.remove();
        write(first.job(), first.pieces());
        progress.step(++done, jobs.size());
      }
    } finally {
      threads.shutdownNow();
      progress.end();
    }
  }

  private List<Piece> ask(Job job) {
    if (silent.contains(job.node())) {
      throw new RefusedException(
          new Refusal(
              Refusal.Kind.UNREACHABLE,
              "not asked, as node %s has not answered before".formatted(job.node())));
    }
    try {
      return job.answerer() == Answerer.AGENT ? alone(job) : job.read().get();
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.UNREACHABLE && job.answerer() == Answerer.KUBELET) {
        silent.add(job.node());
      }
      throw refused;
    }
  }

  private List<Piece> alone(Job job) {
    ReentrantLock agent = agents.computeIfAbsent(job.node(), _ -> new ReentrantLock());
    agent.lock();
    try {
      return job.read().get();
    } finally {
      agent.unlock();
    }
  }

  private void write(Job job, Future<List<Piece>> pieces) throws IOException, InterruptedException {
    try {
      for (Piece piece : pieces.get()) {
        bundle.add(piece);
      }
    } catch (ExecutionException failed) {
      switch (Objects.requireNonNullElse(failed.getCause(), failed)) {
        case RefusedException refused when refused.kind() == Refusal.Kind.INTERRUPTED ->
            throw refused;
        case RefusedException refused
            when refused.kind() == Refusal.Kind.NOT_FOUND
                && job.answerer() == Answerer.API_SERVER ->
            bundle.leftOut("%s: the cluster does not have this kind".formatted(job.title()));
        case RefusedException refused -> bundle.problem(job.title(), refused.text());
        default -> bundle.problem(job.title(), "a defect of this plugin: " + failed.getCause());
      }
    }
  }

  private List<Json> read(Resource resource) {
    var kept = new ArrayList<Json>();
    lists.listWhole(
        resource.path(),
        item -> {
          if (resource.kept().test(item)) {
            kept.add(item);
          }
        },
        kept::clear);
    return resource.kind().equals("Event") ? Resource.newest(kept, MOST_OBJECTS, since) : kept;
  }

  private static List<Piece> pieces(Resource resource, List<Json> objects) {
    if (resource.file().contains("%s")) {
      return objects.stream()
          .map(it ->
              Piece.objects(
                  resource.file().formatted(Selection.safe(it.at("metadata", "name").text())),
                  resource.apiVersion(),
                  resource.kind(),
                  List.of(it)))
          .toList();
    }
    return List.of(
        Piece.objects(
            resource.file(),
            resource.apiVersion(),
            resource.kind(),
            objects.stream().limit(MOST_OBJECTS).toList()));
  }

  private Job diagnosis(Json pod, List<String> command) {
    String namespace = pod.at("metadata", "namespace").text();
    String name = pod.at("metadata", "name").text();
    String node = pod.at("spec", "nodeName").text();
    String container = pod.at("spec", "containers").items().getFirst().at("name").text();
    String file =
        "nodes/%s/agent/%s.txt"
            .formatted(Selection.safe(node), String.join("-", command.subList(1, command.size())));
    return new Job(
        "%s in pod %s/%s".formatted(String.join(" ", command), namespace, name),
        Answerer.AGENT,
        node,
        () ->
            List.of(
                Piece.excerpt(file, nodes.exec(namespace, name, container, command, MOST_LOG))));
  }

  private Job log(Selection.Log log) {
    String path =
        log.path()
            + LOG_LIMITS
            + since
                .map(it -> "&sinceSeconds=" + Math.max(1, Duration.between(it, now).toSeconds()))
                .orElse("");
    return new Job(
        log.title(),
        Answerer.KUBELET,
        log.node(),
        () -> List.of(Piece.excerpt(log.file(), nodes.text(path, MOST_LOG))));
  }

  private Job metrics(Selection.Metrics metrics) {
    String path =
        "%s:%d/proxy/metrics"
            .formatted(Selection.path(metrics.namespace(), metrics.pod()), metrics.port());
    String file =
        "%s/metrics/%s-%d.txt"
            .formatted(
                Selection.folder(metrics.node(), metrics.pod()),
                Selection.safe(metrics.pod()),
                metrics.port());
    return new Job(
        "the metrics of pod %s/%s, port %d"
            .formatted(metrics.namespace(), metrics.pod(), metrics.port()),
        Answerer.KUBELET,
        metrics.node(),
        () -> List.of(Piece.excerpt(file, nodes.text(path, MOST_METRICS))));
  }
}
