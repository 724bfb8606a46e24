/**
 * Runs the work of one organisation, or of many, in this process.
 *
 * Every organisation has its loops (`work.ts`); all of them share one look every two seconds, one sign of life,
 * and the cluster's jobs. The minute job takes the look once more, and runs the rounds of loops that hang.
 */

import { extendEachAlive } from '../../alerts/guard/recovery-check.store.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { AllOrganisationsReason } from '../../base/db/for-organisation.ts';
import { ALL_ORGANISATIONS, forAllOrganisations } from '../../base/db/for-organisation.ts';
import type { JobStore } from '../../base/db/source.ts';
import { startBoss } from '../../base/jobs/boss.ts';
import type { RunningLoop } from '../../base/jobs/due-look.ts';
import { createDueLook } from '../../base/jobs/due-look.ts';
import { beat, HEARTBEAT_MS, sayGoodbye } from '../../base/jobs/heartbeat.store.ts';
import type { Loop, LoopSpec } from '../../base/jobs/loop.ts';
import { runEachOnce, startLoop } from '../../base/jobs/loop.ts';
import { createPace } from '../../base/jobs/pace.ts';
import { DATABASE_BACK, LOOK } from '../../base/jobs/wake.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { noteSettings } from './note-settings.ts';
import type { OrganisationParts, Shared } from './parts.ts';
import { withQuietPoll } from './quiet-poll.ts';
import type { Sharing } from './sharing.ts';
import { asShared, shareIdentity, shareSlots } from './sharing.ts';
import type { Work } from './work.ts';
import { createWork } from './work.ts';
import type { WorkOptions } from './work-options.ts';

/** How often many organisations' signs of life are written, in milliseconds: well within ten minutes. */
const SIGNS_MS = 60_000;

/** The loop that polls the service. */
const POLL = 'reconcile';

export interface WorkRole {
  /** Lets rounds under way end, releases what this process holds, and stops. */
  stop(): Promise<void>;
}

export interface Workers extends WorkRole {
  /** Starts the work of an organisation. */
  add(parts: OrganisationParts, options: WorkOptions): Promise<void>;
  /** Lets its rounds under way end, and stops it. */
  remove(organisationId: string): Promise<void>;
}

export interface WorkersHost
  extends Pick<Shared, 'database' | 'clock' | 'log' | 'workerId' | 'wakeBus'> {
  readonly jobs: JobStore;
  /** The only organisation; or how many there are. */
  readonly only?: string;
  readonly count?: () => number;
}

export async function startWorkRole(
  parts: OrganisationParts,
  options: WorkOptions,
): Promise<WorkRole> {
  const { organisationId: only, endpoints } = parts;
  const workers = await startWorkers({ ...parts, jobs: endpoints.database.jobs, only });
  try {
    await workers.add(parts, options);
  } catch (error) {
    await workers.stop();
    throw error;
  }
  const unfollow = followResidence(parts, {
    leave: () => workers.remove(only),
    comeBack: () => workers.add(parts, options),
  });
  return {
    async stop(): Promise<void> {
      await unfollow();
      await workers.stop();
    },
  };
}

/** Ends the work while the organisation does not live here. */
function followResidence(
  { residence, organisationId, log }: OrganisationParts,
  { leave, comeBack }: { leave: () => Promise<void>; comeBack: () => Promise<void> },
): () => Promise<void> {
  let isHere = true;
  let turn = Promise.resolve();
  const look = (): void => {
    const absence = residence.away(organisationId);
    if ((absence === undefined) === isHere) return;
    isHere = absence === undefined;
    log.warn({ reason: absence?.why ?? 'it stays here' }, 'the organisation moves');
    turn = turn.then(isHere ? comeBack : leave).catch((error: unknown) => {
      log.error({ err: error }, 'work could not be changed');
    });
  };
  const unfollow = residence.follow(look);
  // It may have left between the start of its work and this line.
  look();
  return async () => {
    unfollow();
    await turn;
  };
}

interface Added {
  readonly work: Work;
  readonly running: readonly RunningLoop[];
  readonly loops: readonly Loop[];
  readonly offs: readonly (() => void)[];
}

/** Starts what all organisations share; none works before it is added. */
export async function startWorkers(host: WorkersHost): Promise<Workers> {
  const { database, clock, log, workerId, wakeBus, only } = host;
  const added = new Map<string, Added>();
  let running: readonly RunningLoop[] | undefined;
  const isMany = only === undefined;
  const count = host.count ?? ((): number => added.size);
  const allRunning = (): readonly RunningLoop[] => {
    running ??= [...added.values()].flatMap((each) => each.running);
    return running;
  };
  const own = (spec: LoopSpec): Loop => startLoop(spec, log.child({ part: spec.name }));
  const forAll = (reason: AllOrganisationsReason): OpenDatabase['db'] =>
    (isMany ? forAllOrganisations(database, reason) : database).db;
  const beating = forAll('heartbeat');
  const sayAlive = async (): Promise<number> => {
    const organisationId = only ?? ALL_ORGANISATIONS;
    await beat(beating, { workerId, organisationId, role: 'work', now: nowDate(clock) });
    return 0;
  };
  const identity = shareIdentity(database.db);
  await sayAlive();
  const lookSpec = createDueLook({ db: forAll('due_look'), clock }, allRunning);
  const look = own(lookSpec);
  const slotsOf = shareSlots(host, forAll('due_look'));
  const shared = isMany
    ? [
        own({ name: 'heartbeat', idleMs: HEARTBEAT_MS, runOnce: sayAlive }),
        own({
          name: 'signs-of-life',
          idleMs: SIGNS_MS,
          runOnce: () => signAll(host, { db: forAll('signs_of_life'), added }),
        }),
      ]
    : [];
  const boss = await startBoss({
    store: host.jobs,
    log: log.child({ part: 'jobs' }),
    minute: async () => {
      const overdue = [...added.values()].flatMap((each) =>
        each.running.filter((_, place) => each.loops[place]?.isOverdue() === true),
      );
      const rounds = [lookSpec, ...overdue.map(({ spec }) => spec)];
      await runEachOnce(rounds, log.child({ part: 'minute' }));
    },
  });
  const offs = [DATABASE_BACK, LOOK].map((topic) => wakeBus.on(topic, look.wake));
  const remove = async (organisationId: string): Promise<void> => {
    const gone = added.get(organisationId);
    if (gone === undefined) return;
    added.delete(organisationId);
    running = undefined;
    await end(gone);
  };
  return {
    remove,
    async add(parts, options): Promise<void> {
      const { organisationId } = parts;
      await boss.planNight(organisationId);
      added.set(
        organisationId,
        await startWork(
          parts,
          options,
          isMany
            ? { pace: createPace(count), count, identity, slots: slotsOf(organisationId) }
            : undefined,
        ),
      );
      running = undefined;
    },
    async stop(): Promise<void> {
      for (const off of offs) off();
      await Promise.all([
        boss.stop(),
        ...[look, ...shared].map((loop) => loop.stop()),
        ...[...added.keys()].map(remove),
      ]);
      await sayGoodbye(beating, workerId);
    },
  };
}

async function startWork(
  parts: OrganisationParts,
  options: WorkOptions,
  sharing: Sharing | undefined,
): Promise<Added> {
  const { log, wakeBus, organisationId, workerId } = parts;
  const pace = sharing?.pace;
  const work = createWork(parts, options, sharing?.slots);
  // A look asks whether the worker before could refund: settings are noted after it.
  await work.watch(await sharing?.identity());
  await noteSettings(parts, sharing === undefined ? options : asShared(options, sharing));
  const specs =
    sharing === undefined
      ? work.loops
      : work.loops
          .filter((spec) => spec.perProcess !== true)
          .map((spec) => (spec.name === POLL ? withQuietPoll(spec, { parts, ...sharing }) : spec));
  const loops = specs.map((spec) => startLoop(spec, log.child({ part: spec.name }), pace));
  const offs = loops.flatMap((loop, place) => {
    const { wakeOn = [], isDue } = specs[place] ?? {};
    // The look finds for many at once what is due; a word may also have been of something else.
    const back = pace === undefined ? loop.wake : loop.hasten;
    const hearsBack = pace === undefined || (isDue === undefined && wakeOn.length > 0);
    return [
      ...wakeOn.map((topic) => wakeBus.serve(topic, loop.wake)),
      ...(hearsBack ? [wakeBus.on(DATABASE_BACK, back)] : []),
    ];
  });
  log.info({ workerId, loops: specs.map(({ name }) => name) }, 'worker started');
  return {
    work,
    loops,
    offs,
    running: specs.flatMap((spec, place) => {
      const loop = loops[place];
      return loop === undefined ? [] : [{ organisationId, spec, loop }];
    }),
  };
}

async function end({ work, loops, offs }: Added): Promise<void> {
  for (const off of offs) off();
  work.abort();
  await Promise.all(loops.map((loop) => loop.stop()));
  // What the minute job had just begun.
  await Promise.all(work.loops.map((spec) => spec.finish?.()));
  await work.release();
}

/** One statement for all that nothing speaks against; each of the others looks for itself. */
async function signAll(
  { clock }: WorkersHost,
  { db, added }: { readonly db: OpenDatabase['db']; readonly added: ReadonlyMap<string, Added> },
): Promise<number> {
  const signs = new Map(
    [...added].flatMap(([organisationId, { work }]) => {
      const sign = work.signs.lastSign();
      return sign === undefined ? [] : [[organisationId, sign] as const];
    }),
  );
  const nowMs = clock.nowMs();
  const signed = signs.size === 0 ? signs : await extendEachAlive(db, signs, nowMs);
  for (const [organisationId, { work, running }] of added) {
    if (signed.has(organisationId)) work.signs.signed(nowMs);
    else running.find(({ spec }) => spec.name === 'reconcile-first')?.loop.wake();
  }
  return 0;
}
