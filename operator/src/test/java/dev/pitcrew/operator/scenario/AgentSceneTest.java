package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.nodes.ReportingAgents;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The fixture of tests in which agents report: one GPU node with the operands of the reference.
abstract class AgentSceneTest extends SharedSceneTest {
  private static final String SCENARIO = "default-one-gpu-node";

  private @Nullable ReportingAgents agents;

  @Override
  void enter() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario(SCENARIO));
    agents = new ReportingAgents(client);
    scene.serve(SCENARIO);
  }

  ReportingAgents agents() {
    return Objects.requireNonNull(agents);
  }

  @Override
  public void leave() {
    agents().close();
    super.leave();
  }
}
