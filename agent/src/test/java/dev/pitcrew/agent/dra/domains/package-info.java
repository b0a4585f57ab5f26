@NullMarked
package dev.pitcrew.agent.dra.domains;

import org.jspecify.annotations.NullMarked;
