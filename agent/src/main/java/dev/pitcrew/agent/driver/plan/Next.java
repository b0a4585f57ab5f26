package dev.pitcrew.agent.driver.plan;

import java.util.List;
import java.util.Map;

/// The next thing to do.
public sealed interface Next {
  /// Nothing more: the driver container may start.
  ///
  /// @param labels to write first, in one patch
  /// @param isKept whether the driver that is loaded stays
  record Start(Map<String, String> labels, boolean isKept) implements Next {
    public Start {
      labels = Map.copyOf(labels);
    }
  }

  /// The host has a driver, so that this pod has to go: the label takes it off a node for drivers.
  record LeaveToHost(Map<String, String> labels, String why) implements Next {
    public LeaveToHost {
      labels = Map.copyOf(labels);
    }
  }

  /// Write labels and look again.
  record Pause(Map<String, String> labels) implements Next {
    public Pause {
      labels = Map.copyOf(labels);
    }
  }

  /// As [Pause].
  record Resume(Map<String, String> labels) implements Next {
    public Resume {
      labels = Map.copyOf(labels);
    }
  }

  /// Wait for something to happen, for as long as its kind may take.
  ///
  /// @param words what it waits for, and what an administrator can do
  record Await(For what, String words) implements Next {}

  /// Unload these modules in this order and look again.
  record Unload(List<String> modules) implements Next {
    public Unload {
      modules = List.copyOf(modules);
    }
  }

  /// It has been found before that only a reboot helps.
  record Reboot(String words) implements Next {}

  /// What is waited for.
  enum For {
    /// Pods that hold GPUs, which only the operator evicts.
    GPU_HOLDERS,
    /// Operands that were paused.
    OPERANDS,
    /// Users that the kernel counts: no event reports a change of its counts.
    KERNEL,
    /// The same counts, where certainly no user is left: if they stay, only a reboot helps.
    NO_USER,
    /// Network drivers, and virtual machines that have GPUs.
    HOST
  }
}
