package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Optional;

/// One part of a GPUCluster, with all objects that it needs.
public interface DraOperand {
  /// In the order in which they are applied.
  List<DraOperand> ALL =
      List.of(new DraDriver(), new DraDcgm(), new DraExporter(), new DraValidator());

  /// Its name, and the value of the label `nvidia.com/gpu-operator.state` of its objects.
  String state();

  boolean isEnabled(GpuClusterSpec spec);

  /// Why it cannot be rendered.
  Optional<Problem> problem(DraContext context);

  /// What pods refer to.
  List<HasMetadata> resources(DraContext context);

  /// DaemonSets and Deployments.
  List<HasMetadata> workloads(DraContext context);
}
