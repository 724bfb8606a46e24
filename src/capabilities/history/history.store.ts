/**
 * Reads everything that touches one charge. Every part comes through an index of its own and has a
 * limit; a history that is longer says so.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Account } from '../../alerts/ledger/account.ts';
import { accountOf } from '../../alerts/ledger/account.ts';
import { readLedger } from '../../alerts/ledger/ledger.store.ts';
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import { movementsOfCharge } from '../../alerts/ledger/movement.store.ts';
import { mentionsOfCharge } from '../../alerts/ledger/named-dispute.store.ts';
import type { AuditSubject, AuditTable } from '../../base/audit/audit.table.ts';
import type { Db } from '../../base/db/database.ts';
import { findCharge } from '../../orders/charge.store.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import { findOrder } from '../../orders/find-order.ts';
import type { HistoryEntry } from './history.ts';
import { entryOf, timelineOf } from './history.ts';
import { auditEntry, observedEntries, orderEntries, paymentEntries } from './our-entries.ts';
import { serviceEntry } from './service-entries.ts';
import type { ChargeScope } from './service-records.store.ts';
import { ROWS_MAX, readChanges, readLinks } from './service-records.store.ts';

export interface ChargeAlert {
  readonly id: string;
  /** `NETA_ALERT`, `NETB_RDR`, or what else the service named. */
  readonly enrolmentType: string | null;
  readonly status: string;
  readonly refundOutcome: string | null;
  /** The state of its case; null while apply has opened none. */
  readonly state: string | null;
  /** False: the service names this charge, and our match does not. */
  readonly isMatched: boolean;
}

export interface ChargeHistory {
  readonly reference: string;
  /** Undefined: known through alerts or a movement only. */
  readonly charge: ChargeRecord | undefined;
  readonly orderReference: string | null;
  readonly alerts: readonly ChargeAlert[];
  /** What moved, and which disputes it answers. */
  readonly account: Account;
  readonly entries: readonly HistoryEntry[];
  /** False when a part had more rows than are read. */
  readonly complete: boolean;
}

/** Reads the history; undefined when nothing we hold names the charge. */
export async function readChargeHistory(
  db: Db,
  organisationId: string,
  reference: string,
): Promise<ChargeHistory | undefined> {
  const scope: ChargeScope = { db, organisationId, reference };
  const charge = await findCharge(db, organisationId, reference);
  const key = { organisationId, chargeReference: reference };
  const movements = await movementsOfCharge(db, key);
  const alerts = await readAlerts(scope, movements);
  if (charge === undefined && movements.length === 0 && alerts.length === 0) return undefined;
  const account = accountOf({
    ledger: await readLedger(db, key),
    charge,
    mentions: await mentionsOfCharge(db, key),
  });
  const orderReference = charge?.orderReference ?? null;
  const order =
    orderReference === null ? undefined : await findOrder(db, organisationId, orderReference);
  const links = await readLinks(scope, { charge, alerts });
  const changes = await readChanges(scope, links);
  const audit = await readAudit(scope, { alerts, account, orderReference });
  const entries = [
    ...(charge === undefined ? [] : paymentEntries(charge)),
    ...(order === undefined ? [] : orderEntries(order)),
    ...changes.flatMap(({ link, ...change }) => serviceEntry(change, link)),
    ...observedEntries(movements),
    ...audit.flatMap(auditEntry),
    ...(await readDecisions(scope, alerts)),
  ];
  const counts = [alerts.length, changes.length, audit.length];
  return {
    reference,
    charge,
    orderReference,
    alerts,
    account,
    entries: timelineOf(entries),
    complete: counts.every((count) => count < ROWS_MAX),
  };
}

/** Alerts whose case names the charge, for which money moved, or for which the service names it. */
async function readAlerts(
  scope: ChargeScope,
  movements: readonly MovementRow[],
): Promise<ChargeAlert[]> {
  const { db, organisationId, reference } = scope;
  const named = movements.flatMap(({ alert_id: id }) => (id === null ? [] : [id]));
  return await db
    .selectFrom('alert as a')
    .leftJoin('alert_case as c', (join) =>
      join.onRef('c.organisation_id', '=', 'a.organisation_id').onRef('c.alert_id', '=', 'a.id'),
    )
    .select(['a.id', 'a.enrolment_type as enrolmentType', 'a.status', 'c.state'])
    .select('a.refund_outcome as refundOutcome')
    .select(sql<boolean>`c.charge_reference is not distinct from ${reference}`.as('isMatched'))
    .where('a.organisation_id', '=', organisationId)
    .where((eb) =>
      eb(
        'a.id',
        'in',
        eb
          .selectFrom('alert_case')
          .select('alert_id')
          .where('organisation_id', '=', organisationId)
          .where('charge_reference', '=', reference)
          .union(
            eb
              .selectFrom('alert')
              .select('id as alert_id')
              .where('organisation_id', '=', organisationId)
              .where((inner) =>
                inner.or([
                  inner('integration_transaction_id', '=', reference),
                  ...(named.length === 0 ? [] : [inner('id', 'in', named)]),
                ]),
              ),
          ),
      ),
    )
    .orderBy((eb) => eb.fn.coalesce('a.created_at', 'a.first_seen_at'))
    .orderBy('a.id')
    .limit(ROWS_MAX)
    .execute();
}

/** Our own log: of the alerts' cases and declarations, of the movements and disputes, and of the order. */
async function readAudit(
  { db, organisationId }: ChargeScope,
  known: {
    readonly alerts: readonly ChargeAlert[];
    readonly account: Account;
    readonly orderReference: string | null;
  },
): Promise<Selectable<AuditTable>[]> {
  const { account, orderReference } = known;
  const alertIds = known.alerts.map(({ id }) => id);
  const subjects: [AuditSubject, string][] = [
    ...account.movements.flatMap(({ id }): [AuditSubject, string][] => [
      ['movement', id],
      ['refund', id],
    ]),
    ...account.disputes.map(({ id }): [AuditSubject, string] => ['dispute', id]),
    ...(orderReference === null
      ? []
      : [['order', orderReference] satisfies [AuditSubject, string]]),
  ];
  if (alertIds.length === 0 && subjects.length === 0) return [];
  return await db
    .selectFrom('audit')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where((eb) =>
      eb.or([
        ...(alertIds.length === 0 ? [] : [eb('alert_id', 'in', alertIds)]),
        ...subjects.map(([subject, id]) =>
          eb.and([eb('subject', '=', subject), eb('subject_id', '=', id)]),
        ),
      ]),
    )
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
}

async function readDecisions(
  { db, organisationId }: ChargeScope,
  alerts: readonly ChargeAlert[],
): Promise<HistoryEntry[]> {
  if (alerts.length === 0) return [];
  const rows = await db
    .selectFrom('decision')
    .select(['id', 'alert_id', 'sentence', 'decided_by', 'decided_at'])
    .select(['amount_minor', 'currency'])
    .where('organisation_id', '=', organisationId)
    .where(
      'alert_id',
      'in',
      alerts.map(({ id }) => id),
    )
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  return rows.flatMap((row) =>
    entryOf({
      at: row.decided_at,
      kind: 'decision',
      actor: row.decided_by.startsWith('operator:') ? row.decided_by : 'forestall',
      text: row.sentence,
      subject: 'decision',
      subjectId: String(row.id),
      alertId: row.alert_id,
      amountMinor: row.amount_minor,
      currency: row.currency,
    }),
  );
}
