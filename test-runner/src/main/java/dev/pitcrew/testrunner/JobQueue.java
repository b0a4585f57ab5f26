package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.Job.Command;
import dev.pitcrew.testrunner.Job.TestClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The jobs that wait.
///
/// 1. A lane that has a module open gets the module's longest class: a JVM, and the control plane
///    that its tests share, start once.
/// 2. Without one it gets the longest command, as long as commands wait.
/// 3. Else it opens the module with most work left for each lane that has it open.
final class JobQueue {
  private final Weights weights;
  private final List<Command> commands = new ArrayList<>();
  private final Map<TestModule, List<TestClass>> classes = new HashMap<>();
  private final Map<TestModule, Integer> lanes = new HashMap<>();

  JobQueue(Collection<? extends Job> jobs, Weights weights) {
    this.weights = weights;
    for (var job : jobs) {
      switch (job) {
        case Command command -> commands.add(command);
        case TestClass test ->
            classes.computeIfAbsent(test.module(), _ -> new ArrayList<>()).add(test);
      }
    }
    commands.sort(longestFirst());
    classes.values().forEach(list -> list.sort(longestFirst()));
  }

  private Comparator<Job> longestFirst() {
    return Comparator.comparingDouble((Job job) -> -weights.of(job)).thenComparing(Job::name);
  }

  /// @param open the module that the lane has open
  synchronized Optional<Job> next(Optional<TestModule> open) {
    var same = open.map(classes::get).filter(list -> !list.isEmpty());
    if (same.isPresent()) {
      return Optional.of(same.get().removeFirst());
    }
    open.ifPresent(module -> lanes.merge(module, -1, Integer::sum));
    if (!commands.isEmpty()) {
      return Optional.of(commands.removeFirst());
    }
    return classes.entrySet().stream()
        .filter(module -> !module.getValue().isEmpty())
        .max(Comparator.comparingDouble(this::share).thenComparing(entry -> entry.getKey().name()))
        .map(module -> {
          lanes.merge(module.getKey(), 1, Integer::sum);
          return module.getValue().removeFirst();
        });
  }

  /// No job begins any more.
  synchronized void close() {
    commands.clear();
    classes.clear();
  }

  private double share(Map.Entry<TestModule, List<TestClass>> module) {
    var work = module.getValue().stream().mapToDouble(weights::of).sum();
    return work / (lanes.getOrDefault(module.getKey(), 0) + 1);
  }
}
