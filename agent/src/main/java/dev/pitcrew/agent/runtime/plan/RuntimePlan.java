package dev.pitcrew.agent.runtime.plan;

import java.util.List;

/// What is to be done to a runtime's files.
public sealed interface RuntimePlan {
  /// What a person should know though nothing is wrong with the files.
  List<String> remarks();

  /// All is as it should be.
  record Nothing(List<String> remarks) implements RuntimePlan {
    public Nothing {
      remarks = List.copyOf(remarks);
    }
  }

  /// In this order: after each of them the runtime could start.
  record Edits(List<Edit> edits, List<String> remarks) implements RuntimePlan {
    public Edits {
      edits = List.copyOf(edits);
      remarks = List.copyOf(remarks);
    }
  }

  record Refused(RuntimeProblem problem) implements RuntimePlan {
    @Override
    public List<String> remarks() {
      return List.of();
    }
  }

  static RuntimePlan of(List<Edit> edits, List<String> remarks) {
    return edits.isEmpty() ? new Nothing(remarks) : new Edits(edits, remarks);
  }

  /// The plan for a runtime.
  static RuntimePlan of(RuntimeKind kind, RuntimeInput input, WantedRuntime wanted) {
    return switch (kind) {
      case CONTAINERD -> ContainerdPlan.of(input, wanted);
      case CRIO -> CrioPlan.of(input, wanted);
      case DOCKER -> DockerPlan.of(input, wanted);
    };
  }
}
