package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.HolderRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.time.Instant;
import java.util.List;

/// One line a pod that holds GPUs.
public final class HoldersPrint {
  private HoldersPrint() {}

  public static void print(Screen screen, List<HolderRow> rows, Instant now) {
    new Table(
            List.of(
                new Column("NODE", 0, true),
                new Column("GPUS", 0, true),
                new Column("NAMESPACE", 0, true),
                new Column("POD", 0, true),
                new Column("PHASE", 1, false),
                new Column("AGE", 2, false)),
            rows.stream()
                .map(it ->
                    List.of(
                        Cell.of(it.node()),
                        Cell.of(it.gpus()),
                        Cell.of(it.namespace()),
                        Cell.of(it.pod()),
                        Cell.of(it.phase()),
                        Cell.of(Words.age(it.created(), now))))
                .toList())
        .print(screen);
  }
}
