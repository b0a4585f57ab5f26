package dev.pitcrew.agent.status;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.DraState;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.host.HostProfile;
import dev.pitcrew.agent.mps.MpsState;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.agent.watch.HostState;
import java.util.Map;
import java.util.Optional;

/// All that the GPUNode reports.
///
/// @param gpuNode as the API server has it
/// @param pause what pauses an operand on this node
/// @param unwritten the state files that cannot be written, each with why
/// @param hookProblem why the hook of CDI specifications cannot run on the host
/// @param mig empty where the MIG layout is not the agent's
/// @param resets the state of each GPU that needs a reset, by UUID
/// @param dra how the DRA driver stands
/// @param domainProblem why claims for ComputeDomains are not served although they shall be
/// @param withoutCounters why claims are not offered partitions of GPUs although they shall be
/// @param withoutShares why claims cannot share devices although they shall
public record ReportInput(
    Optional<JsonNode> gpuNode,
    Optional<Settings> settings,
    Optional<String> pause,
    Optional<NodeSnapshot> snapshot,
    Optional<DeviceNodeController.View> nodes,
    Optional<HostState> host,
    Optional<HostProfile> hostProfile,
    Optional<OfferReport> offered,
    Map<String, String> unwritten,
    Optional<NriState> nri,
    Optional<MpsState> mps,
    Optional<Validation> validation,
    Optional<RuntimeState> runtime,
    Optional<String> hookProblem,
    Optional<MigFacts> mig,
    Map<String, String> resets,
    DraState dra,
    Optional<String> domainProblem,
    Optional<String> withoutCounters,
    Optional<String> withoutShares) {}
