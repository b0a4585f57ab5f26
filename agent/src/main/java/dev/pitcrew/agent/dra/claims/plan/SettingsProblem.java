package dev.pitcrew.agent.dra.claims.plan;

/// Why settings are refused. Each text names the field, its value and what is allowed.
public sealed interface SettingsProblem {
  String text();

  record UnknownField(String field, String allowed) implements SettingsProblem {
    @Override
    public String text() {
      return "unknown field %s; allowed: %s".formatted(field, allowed);
    }
  }

  record NotAllowed(String field, String value, String allowed) implements SettingsProblem {
    @Override
    public String text() {
      return "%s is %s; allowed: %s".formatted(field, value, allowed);
    }
  }

  record Missing(String field, String allowed) implements SettingsProblem {
    @Override
    public String text() {
      return "%s is missing; allowed: %s".formatted(field, allowed);
    }
  }

  /// A field that belongs to another strategy.
  record Contradiction(String field, String strategy, String allowed) implements SettingsProblem {
    @Override
    public String text() {
      return "%s is set, and sharing.strategy is \"%s\"; allowed with it: %s"
          .formatted(field, strategy, allowed);
    }
  }

  /// @param gate that allows the strategy
  record SwitchedOff(String strategy, String gate) implements SettingsProblem {
    @Override
    public String text() {
      return "sharing.strategy is \"%s\", and %s is off on this node; leave the strategy out, or set FleetPolicy spec.dra.featureGates.%s to true"
          .formatted(strategy, gate, gate);
    }
  }

  /// Settings with `requests` that name a device of another type.
  record OtherDeviceType(String kind, String device, String type, String allowed)
      implements SettingsProblem {
    @Override
    public String text() {
      return "kind is \"%s\", which does not apply to device \"%s\" of type \"%s\"; allowed: %s"
          .formatted(kind, device, type, allowed);
    }
  }
}
