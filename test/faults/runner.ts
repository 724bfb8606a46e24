/**
 * Runs cases in the places they ask for, and looks around when one fails.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult, FaultCase } from './case.ts';
import { SkippedError } from './case.ts';
import { CATALOGUE } from './catalogue.ts';
import { killAll } from './rig/child.ts';
import { openNeighbour } from './rig/neighbour.ts';
import type { Postgres } from './rig/postgres.ts';
import { startPostgres } from './rig/postgres.ts';
import type { Rig } from './rig/rig.ts';
import { makeFolder, openRig } from './rig/rig.ts';
import type { Scene } from './rig/scene.ts';
import { createScene } from './rig/scene.ts';
import type { SharedTime } from './rig/time.ts';
import { createSharedTime } from './rig/time.ts';
import { checkWorld } from './world-checks.ts';

/** Options of {@link runCases}. */
export interface RunOptions {
  readonly cases: readonly FaultCase[];
  /** A second organisation shares each world. @default false */
  readonly hasNeighbour?: boolean;
  /** Hears of every case when it ends. */
  readonly onResult: (result: CaseResult) => void;
}

/** Cases that run side by side: more only wait for the same two cores. */
const SIDE_BY_SIDE = 8;

/** Characters of a failure that are shown: a comparison may print a whole page. */
const DETAIL_MAX = 800;

/** Alerts of a failed case that are shown in full: the last one is most often the one. */
const ALERTS_SHOWN = 3;

/** Time stands still for cases that did not ask for hours. */
const NO_TIME: SharedTime = {
  join: () => undefined,
  leave: () => undefined,
  pass: () => Promise.reject(new Error('Only cases of the place "hours" may let time pass.')),
};

/** Runs the cases and checks each world at its end. Returns the folder with every log. */
export async function runCases({
  cases,
  onResult,
  hasNeighbour = false,
}: RunOptions): Promise<string> {
  const folder = await makeFolder();
  const at = (place: FaultCase['place']): FaultCase[] =>
    cases.filter((each) => each.place === place);
  const run: Run = async (each, rig, time) => onResult(await runOne(each, rig, time));
  // It comes up while what needs no database starts.
  const postgres = startPostgres();
  try {
    for (const each of at('start')) {
      onResult(await runOne(each, withoutWorld(folder), NO_TIME));
    }
    const more: More = hasNeighbour ? { openNeighbour } : {};
    const context = { folder, postgres, at, run, onResult, more };
    const loudOver = Promise.withResolvers<void>();
    const afterwards = (work: (context: Context) => Promise<void>): Promise<void> =>
      loudOver.promise.then(() => work(context));
    // Most of them wait most of the time: each has the time that the others leave.
    const ends = await Promise.allSettled([
      runWorld(context, loudOver.resolve).finally(loudOver.resolve),
      afterwards(runReplicas),
      afterwards(runWorkers),
      afterwards(async () => {
        for (const each of at('suite')) await run(each, withoutWorld(folder), NO_TIME);
      }),
      afterwards(async () => {
        for (const each of at('pair')) await run(each, withoutWorld(folder, more), NO_TIME);
      }),
    ]);
    // What the others have shown is reported all the same.
    for (const end of ends)
      if (end.status === 'rejected') onResult(brokenWorld(folder, end.reason));
  } finally {
    killAll();
    await (await postgres).close();
  }
  return folder;
}

/** Its processes did not come up, or a case of it broke the run: which of its cases ran is in the report. */
function brokenWorld(folder: string, reason: unknown): CaseResult {
  const detail = (reason instanceof Error ? reason.message : String(reason)).slice(0, DETAIL_MAX);
  const title = 'every world of the run comes up, and its cases run';
  return { id: 'WORLD', title, status: 'failed', tookMs: 0, detail, lookAt: [folder] };
}

/** What every world gets besides. */
type More = Partial<Pick<Rig, 'openNeighbour'>>;

type Run = (each: FaultCase, rig: Rig, time: SharedTime) => Promise<void>;

interface Context extends Pick<RunOptions, 'onResult'> {
  readonly folder: string;
  readonly postgres: Promise<Postgres>;
  readonly at: (place: FaultCase['place']) => FaultCase[];
  readonly run: Run;
  /** Of every world. */
  readonly more: More;
}

/** The world of most cases. `loudOver` is told when those are done that want no other load. */
async function runWorld(context: Context, loudOver: () => void): Promise<void> {
  const { folder, postgres, at, run, onResult, more } = context;
  const all = [...at('shared'), ...at('loud'), ...at('alone'), ...at('hours')];
  if (all.length === 0) return;
  const rig = await openRig(join(folder, 'world'), { postgres, ...more });
  try {
    await sideBySide(at('shared'), (each) => run(each, rig, NO_TIME));
    for (const each of at('loud')) await run(each, rig, NO_TIME);
    loudOver();
    for (const each of at('alone')) await run(each, rig, NO_TIME);
    await runHours(at('hours'), rig, run);
    await checkAll(rig, onResult);
  } finally {
    await rig.close();
  }
}

async function runReplicas({ folder, postgres, at, run, onResult, more }: Context): Promise<void> {
  if (at('replicas').length === 0) return;
  const replicas = { serve: 3, work: 3, console: 1 };
  const rig = await openRig(join(folder, 'replicas'), { postgres, replicas, ...more });
  try {
    for (const each of at('replicas')) await run(each, rig, NO_TIME);
    await checkAll(rig, onResult);
  } finally {
    await rig.close();
  }
}

/** Over everything that happened in a world. */
async function checkAll(rig: Rig, onResult: RunOptions['onResult']): Promise<void> {
  if (rig.neighbour !== undefined) onResult(await rig.neighbour.check(rig));
  onResult(await checkWorld(rig));
}

/** With a PostgreSQL of its own: a dozen workers at once take most connections of one. */
async function runWorkers({ folder, at, run, onResult, more }: Context): Promise<void> {
  if (at('workers').length === 0) return;
  const rig = await openRig(join(folder, 'workers'), more);
  try {
    for (const each of at('workers')) await run(each, rig, NO_TIME);
    await checkAll(rig, onResult);
  } finally {
    await rig.close();
  }
}

async function runHours(cases: readonly FaultCase[], rig: Rig, run: Run): Promise<void> {
  const time = createSharedTime((byMs) => rig.moveTime(byMs));
  for (const _ of cases) time.join();
  await Promise.all(
    cases.map(async (each) => {
      try {
        await run(each, rig, time);
      } finally {
        time.leave();
      }
    }),
  );
}

/** From the end of the list: there are those that wait longest, and the others fill their time. */
async function sideBySide(
  cases: readonly FaultCase[],
  run: (each: FaultCase) => Promise<void>,
): Promise<void> {
  const left = [...cases];
  const worker = async (): Promise<void> => {
    for (let each = left.pop(); each !== undefined; each = left.pop()) await run(each);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
}

async function runOne(each: FaultCase, rig: Rig, time: SharedTime): Promise<CaseResult> {
  const title = CATALOGUE.find(({ id }) => id === each.id)?.title ?? each.id;
  const startedMs = performance.now();
  const scene = createScene(rig, time);
  const result = { id: each.id, title };
  const tookMs = (): number => Math.round(performance.now() - startedMs);
  try {
    const detail = (await each.run(scene)) ?? '';
    return { ...result, status: 'passed', tookMs: tookMs(), detail, lookAt: [] };
  } catch (error) {
    if (error instanceof SkippedError) {
      const detail = `skipped: ${error.message}`;
      return { ...result, status: 'skipped', tookMs: tookMs(), detail, lookAt: [] };
    }
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, DETAIL_MAX);
    const lookAt = await lookAround(scene).catch((problem: unknown) => [String(problem)]);
    return { ...result, status: 'failed', tookMs: tookMs(), detail, lookAt };
  }
}

/** What a person would ask first: the case, its refund, the ledger, the answers, the log. */
async function lookAround({ rig, alerts }: Scene): Promise<string[]> {
  const found: string[] = [`logs: ${rig.folder}`];
  for (const alertId of alerts.slice(-ALERTS_SHOWN)) {
    const [row] = await rig.sql(
      `select c.state, c.hold_reason, c.last_error, c.next_action_at, m.state as movement, m.attempts
         from alert_case c left join movement m on m.id = c.movement_id where c.alert_id = $1`,
      [alertId],
    );
    found.push(`case ${alertId}: ${JSON.stringify(row)}`);
    const { ledger, calls } = await rig.processor.books();
    const entries = ledger.filter((entry) => entry.alertId === alertId);
    found.push(`ledger: ${JSON.stringify(entries)}, refund calls in all: ${calls.length}`);
    found.push(`PATCH log: ${JSON.stringify(await rig.sandbox.patches(alertId))}`);
    for (const child of rig.children()) {
      const lines = child
        .text()
        .split('\n')
        .filter((line) => line.includes(alertId));
      found.push(...lines.slice(-5).map((line) => `${child.name}: ${shorten(line)}`));
    }
  }
  return found;
}

/** A log line without what all of them carry. */
function shorten(line: string): string {
  try {
    const { at, level, part, role, traceId, msg, ...facts } = JSON.parse(line);
    return `${String(at).slice(11, 23)} ${level} ${msg} ${JSON.stringify(facts)}`.slice(0, 300);
  } catch {
    return line.slice(0, 300);
  }
}

/** For cases that start programs by themselves: only the folder is real. */
function withoutWorld(folder: string, more: More = {}): Rig {
  const none = (): never => {
    throw new Error('This case runs without a world.');
  };
  const partial: Partial<Rig> = {
    folder,
    aheadMs: () => 0,
    children: () => [],
    sql: none,
    ...more,
  };
  return partial as Rig;
}

/** The version of the package, for the report. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String(JSON.parse(text).version);
}
