/** Rows that the tests of reconcile, insights and the console start from. */
import type { Kysely } from 'kysely';
import type { CaseState } from '../../../src/alerts/cases/case-state.ts';
import type { MovementKind, MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import type { Database } from '../../../src/base/db/database.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';

export const ORG = 'org_demo';
export const NOW = '2026-03-01T12:00:00.000Z';

const TERMINAL: readonly CaseState[] = [
  'DECLARED_REFUND',
  'DECLARED_ACCEPT',
  'CLOSED_REMOTE',
  'CLOSED_INVALID',
  'RECONCILED_RDR',
  'CONFLICT',
];

export function alertObject(id: string, fields: Partial<Alert> = {}): Alert {
  return {
    id,
    organisation_id: ORG,
    merchant_id: 'mrch_1',
    enrolment_id: 'enrl_1',
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    action_required_deadline: '2026-03-03T10:00:00Z',
    transaction_amount_in_cents: 12_990,
    transaction_currency_code: 'USD',
    transaction_statement_descriptor: 'SHOP',
    created_at: '2026-03-01T10:00:00Z',
    updated_at: '2026-03-01T10:00:00Z',
    ...fields,
  };
}

export async function insertAlert(db: Kysely<Database>, alert: Alert): Promise<void> {
  await db
    .insertInto('alert')
    .values({
      organisation_id: alert.organisation_id,
      id: alert.id,
      status: alert.status,
      enrolment_type: alert.enrolment_type,
      deadline_at: alert.action_required_deadline ?? null,
      amount_minor: alert.transaction_amount_in_cents ?? null,
      currency: alert.transaction_currency_code ?? null,
      descriptor: alert.transaction_statement_descriptor ?? null,
      refund_outcome: alert.transaction_refund_outcome ?? null,
      integration_transaction_id: alert.integration_transaction_id ?? null,
      note: alert.note ?? null,
      created_at: alert.created_at,
      updated_at: alert.updated_at,
      snapshot: JSON.stringify(alert),
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: alert.created_at,
      changed_at: alert.updated_at,
    })
    .execute();
}

export interface CaseFields {
  readonly state?: CaseState;
  readonly deadlineAt?: string;
  readonly movementId?: string | null;
  readonly disputeId?: string | null;
  readonly chargeReference?: string | null;
  readonly missedAt?: string | null;
  readonly holdReason?: string | null;
  readonly organisationId?: string;
}

export async function insertCase(
  db: Kysely<Database>,
  alertId: string,
  fields: CaseFields = {},
): Promise<void> {
  const { state = 'RECEIVED', deadlineAt = '2026-03-03T10:00:00Z' } = fields;
  const terminal = TERMINAL.includes(state);
  await db
    .insertInto('alert_case')
    .values({
      organisation_id: fields.organisationId ?? ORG,
      alert_id: alertId,
      state,
      opened_at: '2026-03-01T10:00:00Z',
      deadline_at: deadlineAt,
      next_action_at: terminal ? null : deadlineAt,
      closed_at: terminal ? '2026-03-01T11:00:00Z' : null,
      changed_at: '2026-03-01T11:00:00Z',
      movement_id: fields.movementId ?? null,
      dispute_id: fields.disputeId ?? null,
      charge_reference: fields.chargeReference ?? null,
      missed_at: fields.missedAt ?? null,
      hold_reason: fields.holdReason ?? null,
    })
    .execute();
}

export interface MovementFields {
  readonly state: MovementState;
  readonly charge: string;
  readonly alertId: string;
  /** Anything but `refund` is somebody else's here. */
  readonly kind?: MovementKind;
  readonly confirmedAt?: string;
  readonly createdAt?: string;
  readonly amountMinor?: number;
  readonly currency?: string;
  /** With it the whole amount answers that dispute. */
  readonly disputeId?: string;
  readonly reference?: string;
  readonly key?: string;
}

/** A movement of money: a refund of ours unless its kind says otherwise. */
export async function insertMovement(
  db: Kysely<Database>,
  id: string,
  fields: MovementFields,
): Promise<void> {
  const { state, charge, kind = 'refund', disputeId, amountMinor = 12_990 } = fields;
  const at = fields.createdAt ?? '2026-03-01T10:30:00Z';
  await db
    .insertInto('movement')
    .values({
      organisation_id: ORG,
      id,
      charge_reference: charge,
      kind,
      // Of what others refunded, only the cover says what it answers.
      dispute_id: kind === 'external' ? null : (disputeId ?? null),
      processor_reference: fields.reference ?? null,
      state,
      failure_class: state === 'REJECTED' ? 'final' : null,
      amount_minor: amountMinor,
      currency: fields.currency ?? 'USD',
      confirmed_at: fields.confirmedAt ?? null,
      next_action_at: ['SENT', 'UNKNOWN', 'PENDING', 'HUMAN'].includes(state) ? at : null,
      created_at: at,
      changed_at: at,
      ...sourceOf(id, fields, at),
    })
    .execute();
  if (disputeId === undefined) return;
  await db
    .insertInto('cover')
    .values({
      organisation_id: ORG,
      movement_id: id,
      dispute_id: disputeId,
      amount_minor: amountMinor,
    })
    .execute();
}

/** What tells a movement of ours from one that was observed. */
function sourceOf(
  id: string,
  { kind = 'refund', key, alertId, state }: MovementFields,
  at: string,
): Record<'observed_from' | 'alert_id' | 'idempotency_key' | 'first_sent_at', string | null> {
  const seen = { alert_id: null, idempotency_key: null, first_sent_at: null };
  if (kind === 'network') return { ...seen, observed_from: alertId, alert_id: alertId };
  if (kind !== 'refund') return { ...seen, observed_from: 'processor' };
  return {
    observed_from: null,
    alert_id: alertId,
    idempotency_key: key ?? `key_${id}`,
    first_sent_at: state === 'NOT_SENT' ? null : at,
  };
}

export async function insertDispute(
  db: Kysely<Database>,
  id: string,
  fields: { readonly charge: string; readonly amountMinor?: number; readonly openedAt?: string },
): Promise<void> {
  await db
    .insertInto('dispute')
    .values({
      organisation_id: ORG,
      id,
      charge_reference: fields.charge,
      amount_minor: fields.amountMinor ?? 12_990,
      currency: 'USD',
      opened_at: fields.openedAt ?? '2026-03-01T10:00:00Z',
    })
    .execute();
}

/** What the processor was last seen to have captured. */
export async function insertAccount(
  db: Kysely<Database>,
  charge: string,
  amountMinor = 12_990,
): Promise<void> {
  await db
    .insertInto('charge_account')
    .values({
      organisation_id: ORG,
      charge_reference: charge,
      status: 'captured',
      amount_minor: amountMinor,
      currency: 'USD',
    })
    .execute();
}

/** What open findings say of sums that differ: the subjects. */
export async function openTotals(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('finding')
    .select('subject_id')
    .where('kind', '=', 'totals_differ')
    .where('closed_at', 'is', null)
    .orderBy('subject_id')
    .execute();
  return rows.map((row) => row.subject_id);
}
