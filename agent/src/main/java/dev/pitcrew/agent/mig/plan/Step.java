package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.Placement;

/// One thing to do to a GPU.
public sealed interface Step {

  record DestroyCompute(GpuInstance instance, ComputeInstance compute) implements Step {}

  /// After its compute instances.
  record DestroyInstance(GpuInstance instance) implements Step {}

  record SetMode(boolean isEnabled) implements Step {}

  /// The mode that was set comes into force; all instances go.
  record Reset() implements Step {}

  /// What is created is planned once the GPU is in MIG mode and its driver lists the profiles.
  record PlanInstances() implements Step {}

  record CreateInstance(InstanceProfile profile, Placement place) implements Step {}

  /// @param instance where the GPU instance lies, which may not be there yet
  record CreateCompute(Placement instance, int slices) implements Step {}

  /// For a person, such as `create 3g.20gb at 4`.
  default String text() {
    return switch (this) {
      case DestroyCompute(var instance, var compute) ->
          "destroy compute instance %d of the %s at %d"
              .formatted(
                  compute.id(), instance.profile().shape().name(), instance.placement().start());
      case DestroyInstance(var instance) ->
          "destroy %s at %d"
              .formatted(instance.profile().shape().name(), instance.placement().start());
      case SetMode(var isEnabled) -> "set MIG mode " + (isEnabled ? "on" : "off");
      case Reset() -> "reset the GPU";
      case PlanInstances() ->
          "plan and create the instances, whose profiles the driver lists in MIG mode only";
      case CreateInstance(var profile, var place) ->
          "create %s at %d".formatted(profile.shape().name(), place.start());
      case CreateCompute(var place, var slices) ->
          "create a compute instance of %d slices in the instance at %d"
              .formatted(slices, place.start());
    };
  }
}
