/**
 * The organisations of a process: each is started and stopped by itself, so that one that cannot start holds
 * up no other. It is tried again, and what is wrong is told.
 */
import { messageOf } from '../../base/kernel/errors.ts';
import type { Absence } from '../../surface/residence.ts';
import type { Organisation } from '../installation/installation-watcher.ts';
import type { OrganisationParts, Shared } from './parts.ts';
import { partsOf } from './parts.ts';
import type { ServiceAccess } from './service-access.ts';

/** How many are started at once: each asks its service a question or two. */
const STARTS_AT_ONCE = 16;

/** How often what could not start is tried again, in milliseconds. */
const RETRY_MS = 60_000;

export interface ServedOrganisation extends Organisation {
  readonly access: ServiceAccess;
}

/** Starts one; returns what stops it. */
export type StartOrganisation = (
  served: ServedOrganisation,
  parts: OrganisationParts,
) => Promise<() => Promise<void>>;

/** Starts what answers in place of an organisation that does not live here, or not any more; returns what stops it. */
export type Substitute = (served: ServedOrganisation, absence: Absence) => () => Promise<void>;

export interface RunningOrganisations {
  /** Stops and starts, in that order; resolves when all have been tried. */
  change(change: {
    readonly stop: readonly string[];
    readonly start: readonly ServedOrganisation[];
  }): Promise<void>;
  /** Why some do not run, by organisation. */
  problems(): ReadonlyMap<string, string>;
  /** How many run. */
  running(): number;
  /** Has the data keys admitted for all of them. */
  admitNext: OrganisationParts['keyAdmission']['admitNext'];
  stop(): Promise<void>;
}

interface RunningOrganisation {
  /** None of one that does not live here. */
  readonly parts?: OrganisationParts;
  readonly stop: () => Promise<void>;
}

export function createRunningOrganisations(
  shared: Shared,
  startOrganisation: StartOrganisation,
  substitute: Substitute = () => () => Promise.resolve(),
): RunningOrganisations {
  const running = new Map<string, RunningOrganisation>();
  const waiting = new Map<string, ServedOrganisation>();
  const problems = new Map<string, string>();
  let turn = Promise.resolve();

  const startOne = async (served: ServedOrganisation): Promise<void> => {
    const { id } = served;
    const log = shared.log.child({ organisation: id });
    const absence = shared.residence.away(id);
    if (absence !== undefined) {
      const reason = absence.why;
      running.set(id, { stop: substitute(served, absence) });
      waiting.delete(id);
      problems.set(id, reason);
      log.warn({ reason }, 'organisation not started');
      return;
    }
    try {
      const parts = await partsOf({ ...shared, log }, served.access.endpoints);
      try {
        running.set(id, { parts, stop: await startOrganisation(served, parts) });
      } catch (error) {
        await parts.close();
        throw error;
      }
      waiting.delete(id);
      problems.delete(id);
    } catch (error) {
      const problem = messageOf(error);
      if (problems.get(id) !== problem) log.error({ err: error }, 'organisation not started');
      waiting.set(id, served);
      problems.set(id, problem);
    }
  };
  const startAll = async (organisations: readonly ServedOrganisation[]): Promise<void> => {
    // One that is on its way here must not be worked for, and that may be news.
    if (organisations.length > 0) await shared.residence.refresh();
    const line = [...organisations];
    const takeNext = async (): Promise<void> => {
      for (let next = line.shift(); next !== undefined; next = line.shift()) await startOne(next);
    };
    await Promise.all(Array.from({ length: STARTS_AT_ONCE }, takeNext));
  };
  const stopOne = async (id: string): Promise<void> => {
    const gone = running.get(id);
    running.delete(id);
    waiting.delete(id);
    problems.delete(id);
    await gone?.stop();
    await gone?.parts?.close();
  };
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    turn = turn.then(act).catch((error: unknown) => {
      shared.log.error({ err: error }, 'organisations could not be changed');
    });
    return turn;
  };
  const retry = setInterval(() => {
    if (waiting.size > 0) void inTurn(() => startAll([...waiting.values()]));
  }, RETRY_MS).unref();

  return {
    problems: () => problems,
    running: () => [...running.values()].filter(({ parts }) => parts !== undefined).length,
    change: ({ stop, start }) =>
      inTurn(async () => {
        await Promise.all(stop.map(stopOne));
        await startAll(start);
      }),
    async admitNext(keys): Promise<void> {
      for (const { parts } of running.values()) await parts?.keyAdmission.admitNext(keys);
    },
    async stop(): Promise<void> {
      clearInterval(retry);
      await inTurn(async () => {
        await Promise.all([...running.keys()].map(stopOne));
      });
    },
  };
}
