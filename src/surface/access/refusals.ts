/**
 * Sign-ins and tokens that were refused: counted by address, way and minute, logged, and told where they are a flood.
 *
 * A flood costs little: of one address and minute the 1st, 2nd, 4th, 8th … refusal is written and logged, with the count so far,
 * and what is left once the minute is over. What a process counts is added to what others count.
 */
import { sql } from 'kysely';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { DoorOptions } from '../web/ports.ts';

/** By which way somebody tried: the form, the provider, the proof again, a request's token, a link; or a door that is closed. */
export type RefusedWay = 'token' | 'provider' | 'confirm' | 'bearer' | 'link' | 'closed';

/** Refusals of all addresses within {@link FLOOD_WINDOW_MS} that are told as a flood. */
export const FLOOD_MIN = 100;
const FLOOD_WINDOW_MS = 10 * 60_000;

/** Addresses that a process counts apart in one minute; further ones are counted together. */
const ADDRESSES_MAX = 1_000;
const FURTHER = 'further addresses';

/** So long they are kept, as the log of deliveries is. */
const KEPT_MS = 30 * 86_400_000;

const MINUTE_MS = 60_000;

interface Tally {
  readonly address: string;
  readonly way: RefusedWay;
  count: number;
  written: number;
}

export interface Refusals {
  /** Counts one. Fails never: who is refused is refused whether or not it can be written. */
  note(address: string | undefined, way: RefusedWay): Promise<void>;
  /** Writes what is counted and not written yet. */
  flush(): Promise<void>;
}

type RefusalOptions = Pick<
  DoorOptions,
  'db' | 'clock' | 'log' | 'organisationId' | 'organisations'
>;

/**
 * Whose messages tell of the door: no channel is the installation's own, so that of its first organisation carries what is about
 * the sign-in to all of them.
 */
export function toldThrough({
  organisationId,
  organisations,
}: Pick<RefusalOptions, 'organisationId' | 'organisations'>): string {
  return organisations?.()[0]?.id ?? organisationId;
}

export function createRefusals(options: RefusalOptions): Refusals {
  const { clock, log } = options;
  let tallies = new Map<string, Tally>();
  let minute = 0;
  let total = 0;
  const writeRest = async (): Promise<void> => {
    const left = [...tallies.values()].filter(({ count, written }) => count > written);
    for (const tally of left) await write(options, tally, new Date(minute));
  };
  const count = async (address: string, way: RefusedWay): Promise<void> => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    if (now !== minute) {
      await writeRest();
      tallies = new Map();
      minute = now;
      total = 0;
      await forgetOld(options);
      // A flood that stops leaves nothing uncounted.
      setTimeout(() => void flush(), MINUTE_MS).unref();
    }
    const key = `${address} ${way}`;
    const counted = tallies.has(key) || tallies.size < ADDRESSES_MAX ? address : FURTHER;
    const place = `${counted} ${way}`;
    const tally = tallies.get(place) ?? { address: counted, way, count: 0, written: 0 };
    tallies.set(place, tally);
    tally.count += 1;
    total += 1;
    if (isPowerOfTwo(tally.count)) await write(options, tally, new Date(minute));
    if (total >= FLOOD_MIN / 2 && isPowerOfTwo(total)) {
      await writeRest();
      await tellOfFlood(options);
    }
  };
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'refused sign-ins could not be written');
    }
  };
  const flush = (): Promise<void> => quietly(writeRest);
  return { flush, note: (address = 'unknown', way) => quietly(() => count(address, way)) };
}

/** Each organisation of an installation deletes only its own. */
async function forgetOld({ db, clock, organisationId }: RefusalOptions): Promise<void> {
  await db
    .deleteFrom('console_refusal')
    .where('organisation_id', '=', organisationId)
    .where('minute', '<', new Date(clock.nowMs() - KEPT_MS))
    .execute();
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

async function write(
  { db, log, organisationId }: RefusalOptions,
  tally: Tally,
  minute: Date,
): Promise<void> {
  const { address, way, count } = tally;
  const added = count - tally.written;
  tally.written = count;
  log.warn({ address, way, count, minute: minute.toISOString() }, 'sign-in refused');
  await db
    .insertInto('console_refusal')
    .values({ organisation_id: organisationId, minute, address, way, count: added })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'minute', 'address', 'way'])
        .doUpdateSet({ count: sql`console_refusal.count + excluded.count` }),
    )
    .execute();
}

async function tellOfFlood(options: RefusalOptions): Promise<void> {
  const { db, clock, log, organisationId } = options;
  const at = nowDate(clock);
  const since = new Date(at.getTime() - FLOOD_WINDOW_MS);
  const { rows } = await sql<{ refused: string; addresses: string }>`
    select coalesce(sum(count), 0) as refused, count(distinct address) as addresses from console_refusal
    where organisation_id = ${organisationId} and minute > ${since}`.execute(db);
  const refused = Number(rows[0]?.refused ?? 0);
  if (refused < FLOOD_MIN) return;
  const addresses = Number(rows[0]?.addresses ?? 0);
  log.warn({ refused, addresses }, 'a flood of refused sign-ins');
  await notify(db, {
    organisationId: toldThrough(options),
    dedupeKey: `console_flood:${organisationId}:${at.toISOString().slice(0, 13)}`,
    kind: 'console_guessing',
    severity: 'warning',
    text: `${refused} sign-ins and tokens were refused within 10 minutes, from ${addresses} address(es). The page Operators shows from where. If it is a program of yours, give it a token that holds; if it is nobody of yours, check who can reach the console's port.`,
    at,
  });
}

/** Refusals of the last day from one address. */
export interface RefusedFrom {
  readonly address: string;
  readonly ways: readonly string[];
  readonly count: number;
  readonly lastMinute: Date;
}

const SHOWN_MAX = 20;

/** From where most were refused since then. */
export async function listRefusals(
  db: DoorOptions['db'],
  { organisationId, since }: { readonly organisationId: string; readonly since: Date },
): Promise<readonly RefusedFrom[]> {
  const { rows } = await sql<{ address: string; ways: string[]; count: string; last: Date }>`
    select address, array_agg(distinct way order by way) as ways, sum(count) as count, max(minute) as last
    from console_refusal where organisation_id = ${organisationId} and minute >= ${since}
    group by address order by sum(count) desc, address limit ${SHOWN_MAX}`.execute(db);
  return rows.map(({ address, ways, count, last }) => ({
    address,
    ways,
    count: Number(count),
    lastMinute: last,
  }));
}
