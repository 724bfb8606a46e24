/** Prints what was measured: a table for people, or JSON. */
import type { Cost } from './costs.ts';
import type { Machine } from './machine.ts';
import type { Round } from './targets.ts';
import { isMet, median, TARGETS } from './targets.ts';

export interface Outcome {
  readonly machine: Machine;
  readonly rounds: readonly Round[];
  /** By measurement, one entry per round; empty where the system does not tell. */
  readonly costs: ReadonlyMap<string, readonly Cost[]>;
  readonly storedLarge: number;
  readonly durationMs: number;
  /** Whether the processors were kept from falling asleep: see `awake.ts`. */
  readonly keptAwake: boolean;
}

/** Above this share of the machine used by others or taken by its host, figures are not to be trusted. */
const ELSEWHERE_MAX = 0.1;

export function printOutcome(outcome: Outcome, asJson: boolean): void {
  const ratios = TARGETS.map((target) => {
    const ratio = median(outcome.rounds.map(target.ratio));
    const possible =
      target.possible === undefined ? undefined : median(outcome.rounds.map(target.possible));
    return { target, ratio, possible, met: isMet(target, ratio) };
  });
  if (asJson) {
    console.log(
      JSON.stringify({
        ...outcome,
        costs: Object.fromEntries(outcome.costs),
        ratios: ratios.map(({ target, ratio, possible, met }) => ({
          number: target.number,
          name: target.name,
          ratio,
          bound: target.bound,
          possible,
          met,
        })),
      }),
    );
    return;
  }
  const { machine, rounds, storedLarge } = outcome;
  console.log(
    `\n${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}, fsync ${machine.fsync}; processors ${outcome.keptAwake ? 'kept awake' : 'not kept awake: no chrt'}`,
  );
  const figure = (pick: (round: Round) => number): string =>
    Math.round(median(rounds.map(pick))).toLocaleString('en');
  console.log(
    `${rounds.length} rounds of ${outcome.durationMs / 1_000} s; events/s: ceiling ${figure((r) => r.ceiling)}, one INSERT ${figure((r) => r.inserting)}, ingest ${figure((r) => r.ingest)}, repeated ${figure((r) => r.repeated)}, received and applied ${figure((r) => r.both)}, drain ${figure((r) => r.drain)}`,
  );
  console.log(
    `one connection, p50: one INSERT ${median(rounds.map((r) => r.waitInserting)).toFixed(2)} ms, ours ${median(rounds.map((r) => r.waitOwn)).toFixed(2)} ms; many stored: ${storedLarge.toLocaleString('en')}\n`,
  );
  console.log(' #  ratio                                      measured  target');
  for (const { target, ratio, possible, met } of ratios) {
    const bound = `${target.isMost === true ? '≤' : '≥'} ${target.bound.toFixed(2)}`;
    console.log(
      ` ${target.number}  ${target.name.padEnd(42)} ${ratio.toFixed(2).padStart(8)}  ${bound}  ${met ? 'met' : `MISSED${possible === undefined ? '' : `; the ceiling allows ${possible.toFixed(2)}`}`}`,
    );
  }
  printCosts(outcome.costs);
}

function printCosts(costs: Outcome['costs']): void {
  if (costs.size === 0) return;
  console.log(
    '\nprocessor time per event, µs               server  postgres   load  others used  host took',
  );
  let busiest = 0;
  for (const [phase, list] of costs) {
    const middle = (pick: (cost: Cost) => number): number => median(list.map(pick));
    const others = middle((cost) => cost.others);
    const stolen = middle((cost) => cost.stolen);
    busiest = Math.max(busiest, others + stolen);
    const columns = [
      middle((cost) => cost.server),
      middle((cost) => cost.postgres),
      middle((cost) => cost.load),
    ];
    console.log(
      `${phase.padEnd(42)}${columns.map((value) => value.toFixed(0).padStart(7)).join('   ')}   ${percent(others).padStart(6)}     ${percent(stolen).padStart(6)}`,
    );
  }
  if (busiest > ELSEWHERE_MAX) {
    console.log(
      `\nOther processes and the host used up to ${percent(busiest)} of the machine: these ratios are void. Run it again when it is quiet.`,
    );
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
