/** Prints what was measured: a table for people, or JSON. */
import type { Cost } from './costs.ts';
import type { Machine } from './machine.ts';
import type { Round } from './targets.ts';
import { isMet, median, TARGETS } from './targets.ts';

/** A round and what its measurements cost; no costs where the system does not tell. */
export interface MeasuredRound {
  readonly round: Round;
  readonly costs: ReadonlyMap<string, Cost>;
}

export interface Outcome {
  readonly machine: Machine;
  /** All of them; only {@link quietRounds} count. */
  readonly measured: readonly MeasuredRound[];
  readonly storedLarge: number;
  readonly durationMs: number;
  /** Whether the processors were kept from falling asleep: see `awake.ts`. */
  readonly keptAwake: boolean;
}

/** Above this share of the machine used by others or taken by its host, a round is void. */
const ELSEWHERE_MAX = 0.1;

/** The share that went elsewhere during the measurement that suffered most. */
function elsewhere({ costs }: MeasuredRound): number {
  return Math.max(0, ...[...costs.values()].map(({ others, stolen }) => others + stolen));
}

/** The rounds whose measurements had the machine for themselves, and so compare. */
export function quietRounds(measured: readonly MeasuredRound[]): readonly MeasuredRound[] {
  return measured.filter((each) => elsewhere(each) <= ELSEWHERE_MAX);
}

export function printOutcome(outcome: Outcome, asJson: boolean): void {
  const { measured, ...facts } = outcome;
  const quiet = quietRounds(measured);
  const counted = quiet.length > 0 ? quiet : measured;
  const rounds = counted.map(({ round }) => round);
  const costs = costsByPhase(counted);
  const ratios = TARGETS.map((target) => {
    const ratio = median(rounds.map(target.ratio));
    const possible =
      target.possible === undefined ? undefined : median(rounds.map(target.possible));
    return { target, ratio, possible, met: isMet(target, ratio) };
  });
  if (asJson) {
    console.log(
      JSON.stringify({
        ...facts,
        rounds,
        roundsTaken: measured.length,
        isVoid: quiet.length === 0,
        costs: Object.fromEntries(costs),
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
  const { machine, storedLarge } = outcome;
  console.log(
    `\n${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}, fsync ${machine.fsync}; processors ${outcome.keptAwake ? 'kept awake' : 'not kept awake'}`,
  );
  const figure = (pick: (round: Round) => number): string =>
    Math.round(median(rounds.map(pick))).toLocaleString('en');
  console.log(
    `${quiet.length} quiet rounds of ${measured.length}, each measurement ${outcome.durationMs / 1_000} s; events/s: ceiling ${figure((r) => r.ceiling)}, ours without storing ${figure((r) => r.door)}, one INSERT ${figure((r) => r.inserting)}, ingest ${figure((r) => r.ingest)}, received and applied ${figure((r) => r.both)}, drain ${figure((r) => r.drain)}`,
  );
  console.log(
    `one connection, p50: one INSERT ${median(rounds.map((r) => r.waitInserting)).toFixed(2)} ms, ours ${median(rounds.map((r) => r.waitOwn)).toFixed(2)} ms; many stored: ${storedLarge.toLocaleString('en')}\n`,
  );
  console.log(' #  ratio                                      measured  target');
  for (const { target, ratio, possible, met } of ratios) {
    const bound = `${target.isMost === true ? '≤' : '≥'} ${target.bound.toFixed(2)}`;
    console.log(
      ` ${target.number}  ${target.name.padEnd(42)} ${ratio.toFixed(2).padStart(8)}  ${bound}  ${met ? 'met' : `MISSED${possible === undefined ? '' : `; at most ${possible.toFixed(2)} is possible`}`}`,
    );
  }
  printCosts(costs);
  if (quiet.length > 0) return;
  const least = Math.min(...measured.map(elsewhere));
  console.log(
    `\nOther processes and the host used at least ${percent(least)} of the machine in every round: these ratios are void. Run it again when it is quiet.`,
  );
}

function costsByPhase(counted: readonly MeasuredRound[]): ReadonlyMap<string, readonly Cost[]> {
  const phases = new Map<string, Cost[]>();
  for (const { costs } of counted) {
    for (const [phase, cost] of costs) phases.set(phase, [...(phases.get(phase) ?? []), cost]);
  }
  return phases;
}

function printCosts(costs: ReadonlyMap<string, readonly Cost[]>): void {
  if (costs.size === 0) return;
  console.log(
    '\nprocessor time per event, µs               server  postgres   load  others used  host took',
  );
  for (const [phase, list] of costs) {
    const middle = (pick: (cost: Cost) => number): number => median(list.map(pick));
    const others = middle((cost) => cost.others);
    const stolen = middle((cost) => cost.stolen);
    const columns = [
      middle((cost) => cost.server),
      middle((cost) => cost.postgres),
      middle((cost) => cost.load),
    ];
    console.log(
      `${phase.padEnd(42)}${columns.map((value) => value.toFixed(0).padStart(7)).join('   ')}   ${percent(others).padStart(6)}     ${percent(stolen).padStart(6)}`,
    );
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
