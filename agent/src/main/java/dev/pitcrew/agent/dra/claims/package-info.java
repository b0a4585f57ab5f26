/// Prepares and unprepares ResourceClaims of the driver `gpu.nvidia.com` on a node: settings,
/// checkpoint, CDI file. The checkpoint has the format of NVIDIA's DRA driver, so that either
/// driver continues with what the other has prepared.
///
/// Nothing here calls the API server, serves gRPC or publishes ResourceSlices.
@NullMarked
package dev.pitcrew.agent.dra.claims;

import org.jspecify.annotations.NullMarked;
