/**
 * Reads everything that touches one charge. Every part comes through an index of its own and has a
 * limit; a history that is longer says so.
 */
import type { Kysely, Selectable } from 'kysely';
import type { AuditSubject, AuditTable } from '../audit/audit.table.ts';
import type { Database } from '../db/database.ts';
import { findOrder } from '../feed/find-order.ts';
import { findCharge } from '../match/charge.store.ts';
import type { ChargeRecord } from '../match/charge-record.ts';
import type { RefundRow } from '../refund/refund.store.ts';
import { findRefundOfCharge } from '../refund/refund.store.ts';
import type { HistoryEntry, MoneyBack } from './history.ts';
import { entryOf, moneyBack, timelineOf } from './history.ts';
import { auditEntry, orderEntries, paymentEntries } from './our-entries.ts';
import { serviceEntry } from './service-entries.ts';
import type { Of } from './told.store.ts';
import { ROWS_MAX, readChanges, readLinks } from './told.store.ts';

/** An alert of the charge, as it stands. */
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

/** The history of a charge. */
export interface ChargeHistory {
  readonly reference: string;
  /** Undefined: known through alerts or a refund only. */
  readonly charge: ChargeRecord | undefined;
  readonly orderReference: string | null;
  readonly alerts: readonly ChargeAlert[];
  readonly refund: RefundRow | undefined;
  readonly money: MoneyBack | undefined;
  readonly entries: readonly HistoryEntry[];
  /** False when a part had more rows than are read. */
  readonly complete: boolean;
}

/** Reads the history; undefined when nothing we hold names the charge. */
export async function readChargeHistory(
  db: Kysely<Database>,
  organisationId: string,
  reference: string,
): Promise<ChargeHistory | undefined> {
  const of: Of = { db, organisationId, reference };
  const charge = await findCharge(db, organisationId, reference);
  const refund = await findRefundOfCharge(db, { organisationId, chargeReference: reference });
  const alerts = await readAlerts(of, refund);
  if (charge === undefined && refund === undefined && alerts.length === 0) return undefined;
  const orderReference = charge?.orderReference ?? null;
  const order =
    orderReference === null ? undefined : await findOrder(db, organisationId, orderReference);
  const links = await readLinks(of, { charge, alerts });
  const changes = await readChanges(of, links);
  const audit = await readAudit(of, { alerts, refund, orderReference });
  const entries = [
    ...(charge === undefined ? [] : paymentEntries(charge)),
    ...(order === undefined ? [] : orderEntries(order)),
    ...changes.flatMap(({ link, ...change }) => serviceEntry(change, link)),
    ...audit.flatMap(auditEntry),
    ...(await readDecisions(of, alerts)),
  ];
  const counts = [alerts.length, changes.length, audit.length];
  return {
    reference,
    charge,
    orderReference,
    alerts,
    refund,
    money: moneyBack(charge, refund === undefined ? undefined : refundFacts(refund)),
    entries: timelineOf(entries),
    complete: counts.every((count) => count < ROWS_MAX),
  };
}

function refundFacts(row: RefundRow): Parameters<typeof moneyBack>[1] {
  return {
    state: row.state,
    amountMinor: row.amount_minor,
    externalMinor: row.external_minor,
    capturedMinor: row.captured_minor,
    currency: row.currency,
  };
}

/** Alerts whose case names the charge, whose refund it was, or for which the service names it. */
async function readAlerts(of: Of, refund: RefundRow | undefined): Promise<ChargeAlert[]> {
  const { db, organisationId, reference } = of;
  const named = [refund?.alert_id, refund?.network_alert_id].filter((id) => id != null);
  const rows = await db
    .selectFrom('alert as a')
    .leftJoin('alert_case as c', (join) =>
      join.onRef('c.organisation_id', '=', 'a.organisation_id').onRef('c.alert_id', '=', 'a.id'),
    )
    .select(['a.id', 'a.enrolment_type', 'a.status', 'a.refund_outcome'])
    .select(['c.state', 'c.charge_reference'])
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
  return rows.map((row) => ({
    id: row.id,
    enrolmentType: row.enrolment_type,
    status: row.status,
    refundOutcome: row.refund_outcome,
    state: row.state,
    isMatched: row.charge_reference === reference,
  }));
}

/** Our own log: of the alerts' cases and declarations, of the refund, and of the order. */
async function readAudit(
  { db, organisationId }: Of,
  of: {
    readonly alerts: readonly ChargeAlert[];
    readonly refund: RefundRow | undefined;
    readonly orderReference: string | null;
  },
): Promise<Selectable<AuditTable>[]> {
  const { refund, orderReference } = of;
  const alertIds = of.alerts.map(({ id }) => id);
  const subjects: [AuditSubject, string][] = [
    ...(refund === undefined ? [] : [['refund', refund.id] satisfies [AuditSubject, string]]),
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
  { db, organisationId }: Of,
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
