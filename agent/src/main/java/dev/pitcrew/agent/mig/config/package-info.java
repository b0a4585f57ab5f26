/// The file that says how the GPUs of a node are divided (version v1, as NVIDIA's MIG manager reads
/// it): read with the position of what is wrong, written, and made from what the boards can do. It
/// reads no file itself and knows no GPU library.
@NullMarked
package dev.pitcrew.agent.mig.config;

import org.jspecify.annotations.NullMarked;
