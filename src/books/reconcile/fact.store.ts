/**
 * Small facts that outlive a process: when the last poll was, what it found, since when it fails.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';

/** Names of the facts that reconcile and the workers write. */
export const RECONCILE_FACTS = {
  /** ISO 8601: the end of the last poll that read the whole list. */
  lastPollAt: 'last_poll_at',
  /** The report of the last round, whole or not. */
  lastPollReport: 'last_poll_report',
  /** Failing rounds in a row; absent value null while polling works. */
  pollFailure: 'poll_failure',
  /** What polling found since a webhook last arrived. */
  webhookSilence: 'webhook_silence',
  /** How many rounds since lookups were read. */
  lookupRound: 'poll_lookup_round',
  /** Where the sweep over alerts of every status stands. */
  sweep: 'poll_sweep',
  /** Whether the last full round read enrolments. */
  enrolmentsRead: 'poll_enrolments_read',
  /** How the worker that started last is set: what the rows alone do not show. */
  workerSettings: 'worker_settings',
} as const;
export type ReconcileFact = (typeof RECONCILE_FACTS)[keyof typeof RECONCILE_FACTS];

/** The fact's value, or undefined when nobody wrote it yet. Callers check its shape. */
export async function readFact(
  db: Kysely<Database>,
  organisationId: string,
  name: ReconcileFact,
): Promise<unknown> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

/** A fact as it is written. */
export interface NewFact {
  readonly organisationId: string;
  readonly name: ReconcileFact;
  readonly value: unknown;
  readonly at: Date;
}

/** Writes the fact over its former value. */
export async function writeFact(db: Kysely<Database>, fact: NewFact): Promise<void> {
  const value = JSON.stringify(fact.value);
  await db
    .insertInto('fact')
    .values({
      organisation_id: fact.organisationId,
      name: fact.name,
      value,
      changed_at: fact.at,
    })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'name']).doUpdateSet({ value, changed_at: fact.at }),
    )
    .execute();
}
