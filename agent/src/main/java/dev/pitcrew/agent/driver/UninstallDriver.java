package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.NodePods;
import dev.pitcrew.agent.driver.plan.DriverPlan;
import dev.pitcrew.agent.driver.plan.Next;
import dev.pitcrew.agent.driver.plan.Next.Await;
import dev.pitcrew.agent.driver.plan.Next.For;
import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.driver.plan.StuckDriver;
import dev.pitcrew.hardware.linux.KernelModules.Answer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks, does the next thing, and looks again, until the driver container may start or it is clear
/// that it may not. Whatever ends it in between, the next one goes on from what it sees.
final class UninstallDriver {
  private static final Logger LOG = LoggerFactory.getLogger(UninstallDriver.class);

  /// Nothing announces the end of what the kernel counts, or of a pod that holds a GPU.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /// The agent answers by a file, which no event announces where the kernel has no watch left.
  private static final Duration LOOK_FOR_FILES_AGAIN = Duration.ofSeconds(5);

  private final Situation situation;
  private final NodeAccount account;
  private final Supplier<NodePods> pods;
  private Optional<NodePods> watched = Optional.empty();
  private String unseen = "";
  private String logged = "";
  private final WaitNotes notes;
  private boolean isUnloading;

  /// @param node the name of the Node
  /// @param vfio takes GPUs away from virtual machines' drivers; answers why it could not
  record Situation(
      String node,
      Observed.Asked asked,
      HostObservation host,
      OwnDriver ownDriver,
      DriverFiles files,
      GpuHolders holders,
      Supplier<Optional<String>> vfio,
      WakeUp wakeUp,
      WaitDeadlines deadlines) {}

  /// @param pods begins to follow the operands on the node; the caller closes it
  UninstallDriver(Situation situation, NodeAccount account, Supplier<NodePods> pods) {
    this.situation = situation;
    this.account = account;
    this.pods = pods;
    this.notes = new WaitNotes(situation.deadlines().clock());
  }

  PreparationResult run() throws InterruptedException {
    // Asked once: what we unload answers no more, and did not become the host's by that.
    OwnDriver.Answer own = situation.ownDriver().ask();
    NodeAccount.Answer node = account.read();
    while (true) {
      switch (node) {
        case NodeAccount.Answer.Failed(var words) -> {
          return new PreparationResult.Refused(words);
        }
        case NodeAccount.Answer.Outdated() -> node = account.read();
        case NodeAccount.Answer.Now(var read) -> {
          Observed seen = observe(own.driver(), read);
          Optional<String> end = end(own, read);
          if (end.isPresent()) {
            return giveUp(seen, end.get());
          }
          switch (step(seen)) {
            case Step.End(var result) -> {
              return result;
            }
            case Step.Again() -> {}
            case Step.Write(var labels) -> node = account.label(read, labels);
            case Step.Say(var words) -> node = account.say(read, words);
          }
        }
      }
    }
  }

  /// Why it is not worth going on. A manager that gives up for this reason ends a pause that an
  /// earlier manager left, so that the Node has to be read first.
  private Optional<String> end(OwnDriver.Answer own, Observed.Node read) {
    return situation.wakeUp().isOver()
        ? Optional.of("the program was asked to stop")
        : own.silence().filter(_ -> !read.isToHaveContainer());
  }

  /// What a step leads to.
  private sealed interface Step {
    record Again() implements Step {}

    record Write(Map<String, String> labels) implements Step {}

    /// What is waited for.
    record Say(String words) implements Step {}

    record End(PreparationResult result) implements Step {}
  }

  private Observed observe(Optional<String> ownDriver, Observed.Node node) {
    var seen =
        new Observed(situation.asked(), situation.host().now(ownDriver), node, Optional.empty());
    if (!seen.isReplacement()) {
      return seen;
    }
    return new Observed(seen.asked(), seen.host(), node, pods());
  }

  /// Empty while a part of them is unknown, which [#unseen] says.
  private Optional<Observed.Pods> pods() {
    NodePods operands = watched.orElseGet(pods);
    watched = Optional.of(operands);
    Optional<List<JsonNode>> listed = operands.now();
    if (listed.isEmpty()) {
      String why = operands.problem().map(it -> " (" + it + ")").orElse("");
      unseen = "the API server to list the operands of this node" + why;
      return Optional.empty();
    }
    return switch (situation.holders().now()) {
      case GpuHolders.Answer.Pods(var names) -> Optional.of(PodObservation.of(listed.get(), names));
      case GpuHolders.Answer.Unknown(var why) -> {
        unseen = "the kubelet to say which pods hold a GPU (%s)".formatted(why);
        yield Optional.empty();
      }
    };
  }

  private Step step(Observed seen) throws InterruptedException {
    if (seen.isReplacement() && seen.pods().isEmpty()) {
      return await(new Await(For.OPERANDS, unseen), seen);
    }
    return switch (DriverPlan.next(seen)) {
      case Next.Start start -> start(start, seen);
      case Next.LeaveToHost leave -> leaveToHost(leave, seen);
      case Next.Pause(var labels) -> write("the driver makes way for another", labels);
      case Next.Resume(var labels) -> write("the driver stays for now", labels);
      case Next.Reboot(var words) when isSaid(seen) -> write(words, Map.of());
      case Next.Reboot(var words) -> new Step.End(needsReboot(words));
      case Next.Await await -> await(await, seen);
      case Next.Unload(var modules) -> unload(modules, seen);
    };
  }

  private Step write(String why, Map<String, String> labels) {
    notes.isOver();
    situation.deadlines().goesOn();
    LOG.atInfo().addKeyValue("labels", labels).log("{}", why);
    return new Step.Write(labels);
  }

  /// Whether the Node still says what was waited for, which ends with any write of labels.
  private static boolean isSaid(Observed seen) {
    return seen.node().waitsFor().isPresent();
  }

  /// The label comes last: then no program takes the driver for a container's and reverts it.
  private Step leaveToHost(Next.LeaveToHost leave, Observed seen) throws InterruptedException {
    Optional<String> problem = situation.files().forgetContainer();
    if (problem.isPresent()) {
      return new Step.End(giveUp(seen, problem.get()));
    }
    return leave.labels().isEmpty() && !isSaid(seen)
        ? new Step.End(new PreparationResult.LeftToHost(leave.why()))
        : write(leave.why(), leave.labels());
  }

  private Step start(Next.Start start, Observed seen) throws InterruptedException {
    Optional<String> problem =
        start.isKept() ? situation.files().tidy() : situation.files().forgetContainer();
    if (problem.isEmpty() && !start.isKept()) {
      problem = situation.files().unloadNouveau().or(() -> unbindVfio(seen));
    }
    if (problem.isPresent()) {
      return new Step.End(giveUp(seen, problem.get()));
    }
    if (!start.labels().isEmpty() || isSaid(seen)) {
      return write("the driver may start", start.labels());
    }
    return new Step.End(
        new PreparationResult.MayStart(
            start.isKept()
                ? "the driver that is loaded is the one that is wanted; nothing was touched"
                : "no driver is loaded"));
  }

  /// Where the GPUs are for virtual machines, who comes next would only hand them out again.
  private Optional<String> unbindVfio(Observed seen) {
    return seen.node().isForMachines() ? Optional.empty() : situation.vfio().get();
  }

  private Step await(Await await, Observed seen) throws InterruptedException {
    Duration left = situation.deadlines().left(await.what());
    if (!left.isPositive()) {
      return expired(await, seen);
    }
    if (!logged.equals(await.words())) {
      logged = await.words();
      LOG.atInfo().addKeyValue("forAtMost", left).log("waiting for {}", await.words());
    }
    Optional<Duration> untilSaid = notes.untilSaid(await.words(), seen.node().waitsFor());
    if (untilSaid.filter(Duration::isZero).isPresent()) {
      notes.wasSaid();
      return new Step.Say(await.words());
    }
    Duration lookAgain =
        switch (await.what()) {
          case OPERANDS -> LOOK_FOR_FILES_AGAIN;
          case GPU_HOLDERS, KERNEL, NO_USER, HOST -> LOOK_AGAIN;
        };
    situation
        .wakeUp()
        .await(
            Stream.of(Optional.of(left), untilSaid, Optional.of(lookAgain))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .orElse(left));
    return new Step.Again();
  }

  private Step expired(Await await, Observed seen) throws InterruptedException {
    if (await.what() != For.NO_USER) {
      return new Step.End(giveUp(seen, "waited too long for " + await.words()));
    }
    var stuckDriver =
        StuckDriver.found(seen.host().bootId(), seen.host().modules().inUse(), await.words());
    new StuckDriverFile(situation.host().places().stuckDriverFile()).write(stuckDriver);
    giveUp(seen, stuckDriver.words());
    return new Step.End(needsReboot(stuckDriver.words()));
  }

  private PreparationResult needsReboot(String cause) {
    return new PreparationResult.NeedsReboot(situation.node(), cause);
  }

  private Step unload(List<String> modules, Observed seen) throws InterruptedException {
    Optional<String> problem = situation.files().forgetDriver();
    if (problem.isPresent()) {
      return new Step.End(giveUp(seen, problem.get()));
    }
    if (!isUnloading) {
      isUnloading = true;
      LOG.atInfo().addKeyValue("modules", modules).log("unloading the driver");
    }
    return switch (situation.files().unload(modules)) {
      case Answer.Gone() -> {
        situation.deadlines().goesOn();
        yield new Step.Again();
      }
      case Answer.InUse(var words) ->
          await(new Await(seen.host().isDriverUnused() ? For.NO_USER : For.KERNEL, words), seen);
      case Answer.Refused(var words) -> new Step.End(giveUp(seen, words));
    };
  }

  /// The operands come back: they were taken off the node for nothing, by this manager or by one
  /// that was killed.
  private PreparationResult giveUp(Observed seen, String why) throws InterruptedException {
    Map<String, String> labels = DriverPlan.toResume(seen);
    NodeAccount.Answer node = new NodeAccount.Answer.Now(seen.node());
    boolean isSaid = isSaid(seen);
    while (!labels.isEmpty() || isSaid) {
      node =
          switch (node) {
            case NodeAccount.Answer.Now(var read) -> account.label(read, labels);
            case NodeAccount.Answer.Outdated() -> account.read();
            case NodeAccount.Answer.Failed failed -> failed;
          };
      if (node instanceof NodeAccount.Answer.Failed(var words)) {
        return new PreparationResult.Refused(why + "; " + words);
      }
      if (node instanceof NodeAccount.Answer.Now(var read)) {
        labels = situation.asked().operands().toResume(read.labels());
        isSaid = read.waitsFor().isPresent();
      }
    }
    return new PreparationResult.Refused(why);
  }
}
