/// What has to be done to a GPU so that it is divided as it is wanted, and no more. It thinks only:
/// from what is there and what is wanted to steps, without a library, a clock or a file.
@NullMarked
package dev.pitcrew.agent.mig.plan;

import org.jspecify.annotations.NullMarked;
