/**
 * Limits wrong attempts to sign in, so that a token cannot be guessed by trying: counted in Postgres, so
 * that every replica of the console knows them, and a new process is no new chance.
 *
 * An attempt is counted before the token is looked at and taken off again when it was right: a thousand
 * at the same moment are a thousand attempts, not one. Each costs one statement, whether or not the
 * door is closed. Counted is the address, and where somebody is signed in their session as well; never an
 * operator's name, because a stranger could close that for its owner.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { hashSecret } from './secret.ts';

/** Failures within the window after which further attempts are refused unread. */
export const FAILURES_MAX = 10;

/** The window, in milliseconds; it begins with the first failure. */
const FAILURE_WINDOW_MS = 15 * 60_000;

/** Windows that are over are forgotten by this many at a time. */
const FORGET_BATCH = 100;

/** 16-bit groups of an IPv6 address that one household or machine is given: a /64. */
const IPV6_GROUPS = 4;

export interface AttemptScope {
  readonly organisationId: string;
  readonly key: string;
  readonly now: Date;
}

export type Attempt =
  | {
      readonly ok: true;
      /** If it is wrong it is the one that closes the door. */
      readonly isLast: boolean;
    }
  | { readonly ok: false; readonly waitSeconds: number };

/** Counts an attempt, as a failure until {@link forgiveAttempt} takes it back. */
export async function countAttempt(
  db: Db,
  { organisationId, key, now }: AttemptScope,
): Promise<Attempt> {
  const over = new Date(now.getTime() - FAILURE_WINDOW_MS);
  const { rows } = await sql<{ failures: number; began: Date }>`
    insert into console_attempt as a (organisation_id, key_hash, failures, window_started_at)
    values (${organisationId}, ${hashSecret(key)}, 1, ${now})
    on conflict (organisation_id, key_hash) do update set
      failures = case when a.window_started_at <= ${over} or a.failures = 0 then 1
                      else least(a.failures + 1, ${FAILURES_MAX + 1}) end,
      window_started_at = case when a.window_started_at <= ${over} or a.failures = 0 then ${now}
                               else a.window_started_at end
    returning failures, window_started_at as began`.execute(db);
  const { failures, began } = rows[0] ?? { failures: 0, began: now };
  if (failures === 1) await forgetOver(db, organisationId, over);
  if (failures <= FAILURES_MAX) return { ok: true, isLast: failures === FAILURES_MAX };
  const waitMs = began.getTime() + FAILURE_WINDOW_MS - now.getTime();
  return { ok: false, waitSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) };
}

/** The attempt was right: it counts no longer. */
export async function forgiveAttempt(
  db: Db,
  { organisationId, key }: Pick<AttemptScope, 'organisationId' | 'key'>,
): Promise<void> {
  await sql`
    update console_attempt set failures = greatest(failures - 1, 0)
    where organisation_id = ${organisationId} and key_hash = ${hashSecret(key)}`.execute(db);
}

async function forgetOver(db: Db, organisationId: string, over: Date): Promise<void> {
  await sql`
    delete from console_attempt where ctid = any(array(
      select ctid from console_attempt
      where organisation_id = ${organisationId} and window_started_at <= ${over}
      limit ${FORGET_BATCH} for update skip locked))`.execute(db);
}

/** One key for everybody behind the same address; of IPv6 its first half, which one caller holds whole. */
export function addressKey(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain) || !isIPv6(plain)) return `address:${plain}`;
  return `address:${ipv6Groups(plain).slice(0, IPV6_GROUPS).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, its gap filled, without leading zeros. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(missing).fill('0'), ...right].map(
    (group) => group.replace(/^0+(?=.)/, '') || '0',
  );
}
