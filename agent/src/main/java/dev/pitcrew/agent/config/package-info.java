/// The configuration of the node agent: flags, environment and file under the names of NVIDIA's
/// device plugin and GPU feature discovery, merged into one immutable record. Pure: the file comes
/// in as text.
@NullMarked
package dev.pitcrew.agent.config;

import org.jspecify.annotations.NullMarked;
