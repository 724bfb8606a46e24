/** What was said about an alert besides its own rows: messages sent to people, findings, raw events. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { FindingTable } from '../../base/findings/finding.table.ts';
import type { NotificationTable } from '../../base/notify/notification.table.ts';

/** Entries of each kind that are read. */
const NOTES_MAX = 200;

/** An order's part that the saga wants sent, or that waits for a person. */
export interface PushNote {
  readonly referenceId: string;
  readonly part: string;
  readonly state: string;
  readonly reason: string | null;
  readonly changedAt: Date;
}

export interface CaseNotes {
  readonly messages: readonly Selectable<NotificationTable>[];
  readonly findings: readonly Selectable<FindingTable>[];
  readonly pushes: readonly PushNote[];
  /** The order of the case's charge, where we hold it. */
  readonly orderReference: string | null;
}

export async function readCaseNotes(
  db: Db,
  organisationId: string,
  about: { readonly alertId: string; readonly chargeReference: string | null },
): Promise<CaseNotes> {
  const { alertId, chargeReference } = about;
  const subjects = chargeReference === null ? [alertId] : [alertId, chargeReference];
  const [messages, findings, { orderReference, pushes }] = await Promise.all([
    db
      .selectFrom('notification')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', alertId)
      .orderBy('id')
      .limit(NOTES_MAX)
      .execute(),
    db
      .selectFrom('finding')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('subject_id', 'in', subjects)
      .orderBy('id')
      .limit(NOTES_MAX)
      .execute(),
    readOrderNotes(db, organisationId, chargeReference),
  ]);
  return { messages, findings, pushes, orderReference };
}

async function readOrderNotes(
  db: Db,
  organisationId: string,
  chargeReference: string | null,
): Promise<Pick<CaseNotes, 'orderReference' | 'pushes'>> {
  const orderReference = await readOrderReference(db, organisationId, chargeReference);
  const pushes =
    orderReference === null ? [] : await readPushes(db, organisationId, orderReference);
  return { orderReference, pushes };
}

async function readOrderReference(
  db: Db,
  organisationId: string,
  chargeReference: string | null,
): Promise<string | null> {
  if (chargeReference === null) return null;
  const row = await db
    .selectFrom('charge')
    .select('order_reference')
    .where('organisation_id', '=', organisationId)
    .where('reference', '=', chargeReference)
    .executeTakeFirst();
  return row?.order_reference ?? null;
}

async function readPushes(
  db: Db,
  organisationId: string,
  orderReference: string,
): Promise<PushNote[]> {
  const { rows } = await sql<PushNote>`
    select reference_id as "referenceId", part, state, reason, changed_at as "changedAt"
    from order_push where organisation_id = ${organisationId}
      and (organisation_id, integration_id, reference_id) in (
        select organisation_id, integration_id, reference_id from order_record
        where organisation_id = ${organisationId} and reference_id = ${orderReference})
    order by seq limit ${NOTES_MAX}`.execute(db);
  return rows;
}
