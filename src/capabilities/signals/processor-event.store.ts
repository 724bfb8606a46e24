/** All SQL of the processor's events. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { anyOf } from '../../base/db/text-array.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import type { Labelled } from '../../health/label-figures.store.ts';
import { labelledOrganisations } from '../../health/label-figures.store.ts';
import type { ProcessorEvent } from '../../service/wire/processor-event.ts';
import type { ProcessorEventTable } from './signal.table.ts';

/** Topic on which the loop waits for events and claims. */
export const SIGNAL_TOPIC = 'signal';

export type ProcessorEventRow = Selectable<ProcessorEventTable>;

/** Whose events, and when they came. */
export interface Arrival {
  readonly organisationId: string;
  /** The name in the path. */
  readonly processor: string;
  readonly receivedAt: Date;
}

/** Stores events; one that is known by its id stays as it was. @returns how many are new */
export async function storeProcessorEvents(
  db: Db,
  { organisationId, processor, receivedAt }: Arrival,
  events: readonly ProcessorEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  const added = await db
    .insertInto('processor_event')
    .values(
      events.map((event) => ({
        organisation_id: organisationId,
        processor,
        event_id: event.id,
        kind: event.kind,
        charge_references: [...event.chargeReferences],
        refund_reference: event.refundReference,
        dispute_reference: event.disputeReference,
        amount_minor: event.amountMinor,
        currency: event.currency,
        occurred_at: event.occurredAt,
        received_at: receivedAt,
        next_action_at: receivedAt,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .execute();
  if (added.length > 0) await wake(db, SIGNAL_TOPIC);
  return added.length;
}

/** Stores that something signed came which is no event. @returns 0 where the same came before */
export async function storeUnreadable(
  db: Db,
  { organisationId, processor, receivedAt }: Arrival,
  bodyHash: string,
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('processor_event')
    .values({
      organisation_id: organisationId,
      processor,
      event_id: `sha256:${bodyHash}`,
      kind: 'unreadable',
      charge_references: [],
      received_at: receivedAt,
      applied_at: receivedAt,
      outcome: 'unreadable',
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

/** Whether an event is to be looked at now. */
export const hasDueEvents: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from processor_event where organisation_id = ${organisation} and next_action_at <= ${now})`;

/** What {@link claimDueEvents} and its like for claims of refunds need. */
export interface DueQuery {
  readonly organisationId: string;
  readonly now: Date;
  /** A worker that claims has this long: then the row is due again. */
  readonly until: Date;
  readonly limit: number;
}

/** Takes due events, the oldest first; no other process takes them until then. */
export async function claimDueEvents(
  db: Db,
  { organisationId, now, until, limit }: DueQuery,
): Promise<ProcessorEventRow[]> {
  const { rows } = await sql<ProcessorEventRow>`
    update processor_event e set next_action_at = ${until}, attempts = e.attempts + 1
    from (select processor, event_id from processor_event
      where organisation_id = ${organisationId} and next_action_at <= ${now}
      order by next_action_at limit ${limit} for update skip locked) due
    where e.organisation_id = ${organisationId} and e.processor = due.processor and e.event_id = due.event_id
    returning e.*`.execute(db);
  return rows;
}

/** The event is done with. */
export async function finishEvent(
  db: Db,
  { organisation_id, processor, event_id }: ProcessorEventRow,
  { outcome, now }: { readonly outcome: string; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('processor_event')
    .set({ next_action_at: null, applied_at: now, outcome })
    .where('organisation_id', '=', organisation_id)
    .where('processor', '=', processor)
    .where('event_id', '=', event_id)
    .where('applied_at', 'is', null)
    .execute();
}

/** The state of the processor's events. */
export interface EventStanding {
  /** Stored, and nothing has followed yet. */
  readonly waiting: number;
  /** When the oldest of those came; null without any. */
  readonly waitingSince: Date | null;
  /** When the last one of all came. */
  readonly lastAt: Date | null;
}

/** Their state under a label. */
export interface LabelledStanding extends Pick<EventStanding, 'waiting' | 'lastAt'> {
  readonly under: string;
}

/** Adds up organisations under their labels; `lastAt`: of the one that was told something least lately. */
export async function readLabelledStandings(
  db: Db,
  scope: Labelled,
): Promise<readonly LabelledStanding[]> {
  const { rows } = await sql<LabelledStanding>`
    select o.under, coalesce(sum(w.waiting), 0)::bigint as waiting, min(e.at) as "lastAt"
    from ${labelledOrganisations(scope)}
    left join (
      select organisation_id, count(*) as waiting from processor_event
      where next_action_at is not null and organisation_id = ${anyOf(scope.organisationIds)} group by organisation_id
    ) as w on w.organisation_id = o.id
    left join lateral (select max(received_at) as at from processor_event where organisation_id = o.id) e on true
    group by o.under`.execute(db);
  return rows;
}

export async function readEventStanding(db: Db, organisationId: string): Promise<EventStanding> {
  const { rows } = await sql<EventStanding>`
    select count(*) as waiting, min(received_at) as "waitingSince",
      (select max(received_at) from processor_event where organisation_id = ${organisationId}) as "lastAt"
    from processor_event where organisation_id = ${organisationId} and next_action_at is not null`.execute(
    db,
  );
  return rows[0] ?? { waiting: 0, waitingSince: null, lastAt: null };
}

/** How many genuine deliveries since a moment were no event that could be read. */
export async function countUnreadable(
  db: Db,
  organisationId: string,
  since: Date,
): Promise<number> {
  const { count } = await db
    .selectFrom('processor_event')
    .select(sql<number>`count(*)`.as('count'))
    .where('organisation_id', '=', organisationId)
    .where('received_at', '>=', since)
    .where('kind', '=', 'unreadable')
    .executeTakeFirstOrThrow();
  return count;
}

/** The event is looked at again. */
export async function postponeEvent(
  db: Db,
  { organisation_id, processor, event_id }: ProcessorEventRow,
  retryAt: Date,
): Promise<void> {
  await db
    .updateTable('processor_event')
    .set({ next_action_at: retryAt })
    .where('organisation_id', '=', organisation_id)
    .where('processor', '=', processor)
    .where('event_id', '=', event_id)
    .where('applied_at', 'is', null)
    .execute();
}

/**
 * The charges of the event that we know: those of its names that an account, a case or the index of orders
 * has, or the one that carries its refund.
 */
export async function knownCharges(
  db: Db,
  {
    organisation_id: organisationId,
    charge_references,
    refund_reference,
  }: Pick<ProcessorEventRow, 'organisation_id' | 'charge_references' | 'refund_reference'>,
): Promise<string[]> {
  const names = [...charge_references];
  const { rows } = await sql<{ reference: string }>`
    select r.reference from unnest(${names}::text[]) with ordinality as r(reference, place)
    where exists (select from charge_account a where a.organisation_id = ${organisationId} and a.charge_reference = r.reference)
      or exists (select from alert_case c where c.organisation_id = ${organisationId} and c.charge_reference = r.reference)
      or exists (select from charge i where i.organisation_id = ${organisationId} and i.reference = r.reference)
    order by r.place`.execute(db);
  if (rows.length > 0 || refund_reference === null) return rows.map(({ reference }) => reference);
  const ours = await db
    .selectFrom('movement')
    .select('charge_reference')
    .where('organisation_id', '=', organisationId)
    .where('processor_reference', '=', refund_reference)
    .limit(1)
    .execute();
  return ours.map((row) => row.charge_reference).filter((each) => each !== null);
}

/**
 * Makes what waits on the charge due: movements of ours whose end may be known now, and confirmed ones that
 * may have failed. One that a worker holds is left to it: its lease is short.
 */
export async function wakeMovementsOf(
  db: Db,
  organisationId: string,
  { reference, now }: { readonly reference: string; readonly now: Date },
): Promise<void> {
  await sql`update movement set next_action_at = ${now}
    where organisation_id = ${organisationId} and charge_reference = ${reference} and idempotency_key is not null
      and state in ('PENDING', 'UNKNOWN', 'HUMAN', 'CONFIRMED') and coalesce(lease_until <= ${now}, true)
      and coalesce(next_action_at > ${now}, true)`.execute(db);
}

/** Notes the first early fraud warning on the charge's account. */
export async function noteFraudWarning(
  db: Db,
  organisationId: string,
  { reference, at }: { readonly reference: string; readonly at: Date },
): Promise<void> {
  await db
    .insertInto('charge_account')
    .values({ organisation_id: organisationId, charge_reference: reference, fraud_warned_at: at })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'charge_reference']).doUpdateSet({
        fraud_warned_at: sql<Date>`least(charge_account.fraud_warned_at, excluded.fraud_warned_at)`,
      }),
    )
    .execute();
}
