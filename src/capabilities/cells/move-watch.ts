/**
 * Which organisations this installation may not work for, because they are on a move or have gone: looked at when a
 * process starts, when a move says so, and now and then.
 */
import type { Db } from '../../base/db/database.ts';
import type { WakeBus } from '../../base/jobs/wake.ts';
import { LOOK } from '../../base/jobs/wake.ts';
import { DatabaseError, messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { AwayRow } from './move.store.ts';
import { knowsMoves, MOVES_TOPIC, readAway } from './move.store.ts';

/** How often processes look by themselves, in milliseconds: those that listen hear of a move at once. */
const LOOK_EVERY_MS = 60_000;

/** How often where nothing can be heard. */
const DEAF_LOOK_EVERY_MS = 5_000;

/** Where organisations are, as a process knows it. */
export interface MoveWatch {
  /** Why no process may work for it here; undefined: it lives here. */
  away(organisationId: string): AwayRow | undefined;
  /** Calls `listener` whenever something has changed. Returns what ends it. */
  follow(listener: () => void): () => void;
  /** Looks now. Never throws: while the database is away nothing changes. */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Looks once, and then now and then.
 *
 * @throws {DatabaseError} when the first look fails: anyone who does not know what is on its way here would work for it besides the
 * installation that it leaves
 */
export async function watchMoves({
  db,
  wakeBus,
  log,
}: {
  readonly db: Db;
  readonly wakeBus: WakeBus;
  readonly log: Log;
}): Promise<MoveWatch> {
  const listeners = new Set<() => void>();
  let known = new Map<string, AwayRow>();
  let isKnown = false;
  let knownText = '[]';
  let lookedMs = Number.NEGATIVE_INFINITY;
  const lookNow = async (): Promise<void> => {
    lookedMs = performance.now();
    isKnown ||= await knowsMoves(db);
    const rows = isKnown ? await readAway(db) : [];
    const text = JSON.stringify(rows);
    if (text === knownText) return;
    knownText = text;
    known = new Map(rows.map((row) => [row.organisation_id, row]));
    for (const listener of listeners) listener();
  };
  const refresh = async (): Promise<void> => {
    try {
      await lookNow();
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'moves of organisations could not be looked at');
    }
  };
  await lookNow().catch((cause: unknown) => {
    const message =
      'Which organisations are on a move could not be read, so nothing is started. Run migrations/roles.sql again where it is in use.';
    throw new DatabaseError(message, { cause });
  });
  const look = (): void => void refresh();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  const lookAgain = (): void => {
    if (performance.now() - lookedMs >= DEAF_LOOK_EVERY_MS) look();
  };
  const offs = [wakeBus.on(MOVES_TOPIC, look), wakeBus.on(LOOK, lookAgain)];
  return {
    away: (organisationId) => known.get(organisationId),
    refresh,
    follow(listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop(): void {
      clearInterval(timer);
      for (const off of offs) off();
    },
  };
}

export function hasGone({ state }: AwayRow): boolean {
  return state === 'SWITCHED' || state === 'FORGOTTEN';
}

export function whyAway(row: AwayRow): string {
  const { organisation_id: id, direction, other } = row;
  if (direction === 'IN') {
    return `${id} is on its way here from ${other}. It is worked for as soon as it has arrived.`;
  }
  return hasGone(row)
    ? `${id} has moved to ${other}; this installation never works for it again. Take it out of the installation file here, and start it there.`
    : `${id} moves to ${other}. "forestall organisations move" carries the move on; its --abort gives it back.`;
}
