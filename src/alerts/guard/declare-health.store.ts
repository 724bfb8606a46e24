/**
 * Whether the service lets us declare at all: while it answers 401 or 403, nothing is refunded,
 * because a refund that cannot be declared does not stop the dispute (faults 2.5).
 *
 * Kept as a fact in the database, so that every process stops at once. It never lapses by itself: only
 * an answer that the service took, or a question that proves it would take one, removes it. So work
 * resumes after the key was changed, without a restart and without a refund at risk.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import type { KnownValue } from '../../base/jobs/named-value.store.ts';
import {
  readNamedValuesByOrganisation,
  writeNamedValue,
} from '../../base/jobs/named-value.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { wakeHeldByService } from '../cases/release-held.store.ts';

/** Name of its fact, whose `code` is the service's. */
export const KEY_REFUSED = 'declare.unauthorised';

/** How long after a refusal the service is asked again, in milliseconds. */
const ASK_AGAIN_MS = 60_000;

/** One page per organisation and hour while the service refuses us. */
const PAGE_MS = 60 * 60_000;

/** Which key was refused, where and when. */
export interface KeyRefusal {
  readonly organisationId: string;
  readonly code: string;
  readonly now: Date;
}

/** Records that the service refused our key, and pages a person. */
export async function recordKeyRefused(db: Db, refusal: KeyRefusal): Promise<void> {
  const { organisationId, code, now } = refusal;
  await writeNamedValue(db, { organisationId, name: KEY_REFUSED, value: { code }, at: now });
  await notify(db, {
    organisationId,
    dedupeKey: `key_refused:${code}:${Math.floor(now.getTime() / PAGE_MS)}`,
    kind: 'key_refused',
    severity: 'error',
    text: `The service refuses the API key (${code}). Refunds are stopped until it is accepted again; open alerts stay open. Check FORESTALL_API_KEY and its abilities.`,
    at: now,
  });
}

/** Records that the service takes our answers; what waited for that is looked at now. */
export async function recordKeyAccepted(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', KEY_REFUSED)
    .executeTakeFirst();
  // Should this process end in between, they are looked at by their own plan, within minutes.
  if (numDeletedRows > 0n) await wakeHeldByService(db, organisationId, now);
}

/** The removal as a part of another statement. */
export function acceptingKey(organisationId: string): RawBuilder<unknown> {
  return sql`delete from fact where organisation_id = ${organisationId} and name = ${KEY_REFUSED}`;
}

/**
 * What is known of our key: `accepted`, `refused` a moment ago, or `doubtful`: refused, and long enough
 * ago that the service should be asked again before anything is refunded.
 */
export type KeyStanding = 'accepted' | 'refused' | 'doubtful';

/** When the service refused our key, where its last word was that: a selection of at most one row. */
export function keyRefusal(organisationId: string): RawBuilder<unknown> {
  return sql`select changed_at from fact where organisation_id = ${organisationId} and name = ${KEY_REFUSED}`;
}

/** What that says at a moment. */
export function keyStandingOf(refusedAt: Date | null, now: Date): KeyStanding {
  if (refusedAt === null) return 'accepted';
  return refusedAt.getTime() + ASK_AGAIN_MS > now.getTime() ? 'refused' : 'doubtful';
}

/** How the service refused our key, and when. */
export interface KnownRefusal {
  readonly code: string;
  readonly at: Date;
}

/** The last refusal of our key that nothing has disproved since; undefined without one. */
export async function readKeyRefusal(
  db: Db,
  organisationId: string,
): Promise<KnownRefusal | undefined> {
  const facts = await readNamedValuesByOrganisation(db, [organisationId], [KEY_REFUSED]);
  return keyRefusalOf(facts.get(organisationId)?.get(KEY_REFUSED));
}

const refusalSchema = z.object({ code: z.string() });

/** The fact's value, read; without a code where none is readable. */
export function keyRefusalOf(fact: KnownValue | undefined): KnownRefusal | undefined {
  if (fact === undefined) return undefined;
  return { code: refusalSchema.safeParse(fact.value).data?.code ?? '', at: fact.at };
}
