package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ControllerLoop;
import dev.pitcrew.agent.control.StateStore;
import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.dra.DomainState;
import dev.pitcrew.agent.dra.DraState;
import dev.pitcrew.agent.dra.slices.SliceController;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.mig.MigReport;
import dev.pitcrew.agent.mps.MpsState;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.unhealthy.ResetReport;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.agent.watch.ClusterState;
import dev.pitcrew.agent.watch.HostState;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The state of the node, and what watches and controllers report to it.
final class NodeStore {
  private final StateStore<NodeState> states;

  /// @param first the state before anything is observed
  /// @param derivation computes what follows from what was observed
  NodeStore(Supplier<NodeState> first, UnaryOperator<NodeState> derivation) {
    this.states = new StateStore<>(first, derivation);
  }

  NodeState now() {
    return states.now();
  }

  <I> ControllerLoop run(
      String name, Function<NodeState, Optional<I>> projection, Controller<I> controller) {
    return ControllerLoop.start(name, states, projection, controller);
  }

  void update(UnaryOperator<NodeState> change) {
    states.update(change);
  }

  void cluster(UnaryOperator<ClusterState> change) {
    states.update(now -> now.with(change.apply(now.cluster())));
  }

  /// @param written as the API server answered to a write
  void gpuNode(JsonNode written) {
    cluster(now -> now.withGpuNode(new WatchedObject.Present(written)));
  }

  void host(HostState seen) {
    states.update(now -> now.with(seen));
  }

  void gpus(NodeSnapshot seen) {
    states.update(now -> now.with(seen));
  }

  void deviceNodes(DeviceNodeController.View view) {
    states.update(now -> now.with(view));
  }

  void offer(OfferReport report) {
    states.update(now -> now.with(report));
  }

  void slices(SliceController.Published published) {
    states.update(now -> now.with(published));
  }

  void domains(DomainState state) {
    states.update(now -> now.with(state));
  }

  void dra(DraState state) {
    states.update(now -> now.with(state));
  }

  void withheld(Set<String> uuids) {
    states.update(now -> now.withWithheld(uuids));
  }

  void mps(MpsState seen) {
    states.update(now -> now.with(seen));
  }

  void hook(Optional<String> problem) {
    states.update(now -> now.withHookProblem(problem));
  }

  void nri(Optional<NriState> state) {
    states.update(now -> now.with(state));
  }

  void runtime(Optional<RuntimeState> found) {
    states.update(now -> now.withRuntime(found));
  }

  void mig(MigReport report) {
    states.update(now -> now.with(report));
  }

  void resets(ResetReport report) {
    states.update(now -> now.with(report));
  }

  void cuda(Optional<CudaVerdict> found) {
    states.update(now -> now.withCuda(found));
  }

  void validation(Validation found) {
    states.update(now -> now.with(found));
  }

  /// @param problem why a file of the state folder could not be written; empty where it is there
  void file(String file, Optional<String> problem) {
    states.update(now -> now.withUnwritten(file, problem));
  }
}
