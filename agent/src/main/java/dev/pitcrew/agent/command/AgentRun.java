package dev.pitcrew.agent.command;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.process.AgentProcess;
import dev.pitcrew.agent.process.OneShotReconcile;
import dev.pitcrew.agent.state.NodeLock;
import dev.pitcrew.core.web.ReadinessCheck;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent from its first look to its end: it looks at once, and acts as soon as no other agent
/// of the node does.
record AgentRun(AgentArguments arguments, Surroundings surroundings, PrintWriter errors)
    implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(AgentRun.class);
  private static final List<ReadinessCheck> STARTING =
      List.of(new ReadinessCheck("node", () -> Optional.of("the agent starts")));

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> missing = arguments.missing();
    if (!missing.isEmpty()) {
      missing.forEach(errors::println);
      return PitcrewCommand.FAILED;
    }
    AgentContext context = arguments.context(surroundings.clock());
    return arguments.clears() ? clear(context) : run(context);
  }

  private int clear(AgentContext context) throws InterruptedException {
    Optional<String> problem = OneShotReconcile.over(context);
    problem.ifPresent(errors::println);
    return problem.isEmpty() ? PitcrewCommand.DONE : PitcrewCommand.FAILED;
  }

  private int run(AgentContext context) throws IOException, InterruptedException {
    var checks = new AtomicReference<>(STARTING);
    try (var _ = new HealthEndpoint(arguments.text(AgentFlag.HEALTH_ADDRESS), checks::get)) {
      serve(context, checks);
    }
    return PitcrewCommand.DONE;
  }

  /// The process ends before the lock is released: a waiting agent finds no other one acting.
  private void serve(AgentContext context, AtomicReference<List<ReadinessCheck>> checks)
      throws IOException, InterruptedException {
    try (var lock = NodeLock.in(context.folders().state());
        var process = AgentProcess.look(context)) {
      Optional<CommandEndpoint> commands = commands(context, process);
      try {
        follow(lock, process, checks);
      } finally {
        commands.ifPresent(CommandEndpoint::close);
      }
    }
  }

  private void follow(
      NodeLock lock, AgentProcess process, AtomicReference<List<ReadinessCheck>> checks)
      throws IOException, InterruptedException {
    checks.set(process.checks());
    if (!lock.isOurs()) {
      LOG.atInfo().log("another agent runs on this node; waiting for it");
      process.prepare();
    }
    if (await(lock)) {
      process.act();
      surroundings.stop().passes(Optional.empty());
      process.leave();
    }
  }

  private Optional<CommandEndpoint> commands(AgentContext context, AgentProcess process) {
    String socket = arguments.text(AgentFlag.COMMAND_SOCKET);
    var commands =
        new DiagnosisCommands(
            context, surroundings.environment(), process::known, DiagnosisCommands.Limits.USUAL);
    return socket.isEmpty()
        ? Optional.empty()
        : CommandEndpoint.open(Path.of(socket), commands::reply);
  }

  /// False where the order to end came first.
  private boolean await(NodeLock lock) throws IOException {
    Thread waiting = Thread.currentThread();
    Thread stop = Thread.ofVirtual().unstarted(() -> interruptWhenStopped(waiting));
    try {
      stop.start();
      lock.await();
      return true;
    } catch (FileLockInterruptionException _) {
      return false;
    } finally {
      stop.interrupt();
    }
  }

  private void interruptWhenStopped(Thread waiting) {
    try {
      surroundings.stop().passes(Optional.empty());
      waiting.interrupt();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
