package dev.pitcrew.agent.mig.config;

/// Ends the reading of a file at what is wrong with it.
final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient MigConfigProblem problem;

  Refusal(MigConfigProblem problem) {
    super(problem.message(), null, false, false);
    this.problem = problem;
  }

  MigConfigProblem problem() {
    return problem;
  }
}
