/**
 * Two people for a large refund: who asked for it, who agreed, and for exactly which amount.
 *
 * A refund that a policy decided needs two people; one that a person decided needs one more. An
 * approval stands for one movement, its amount and its end, so a changed amount is asked for again. What
 * the processor refused may be tried again on it; what one person wants again, or says did not execute, may not.
 */
import type { Selectable } from 'kysely';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { personOf } from '../cases/person.ts';
import type { ApprovalState, RefundApprovalTable } from './guard.table.ts';

/** How many people a refund above the amount needs. */
export const PEOPLE_NEEDED = 2;

/** An approval as read. */
export type ApprovalRow = Selectable<RefundApprovalTable>;

/** A refund that needs approval. */
export interface ApprovalTerms {
  readonly organisationId: string;
  readonly alertId: string;
  /** The movement that is to be sent; an approval serves no other. */
  readonly movementId: string;
  readonly chargeReference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** When their word ends: the alert's deadline; null: it does not. */
  readonly endsAt: Date | null;
  /** The person who decided it; undefined when a policy did. */
  readonly operator: string | undefined;
  readonly now: Date;
}

/**
 * Whether two people agreed to exactly this refund. If not, it is asked for, and the person who
 * decided it counts as the first.
 */
export async function isApproved(trx: Trx, terms: ApprovalTerms): Promise<boolean> {
  const latest = await findApproval(trx, terms.organisationId, terms.alertId);
  if (latest !== undefined && isFor(latest, terms)) {
    if (latest.state === 'APPROVED') return true;
    if (latest.state === 'PENDING') return await countDecider(trx, latest, terms);
  }
  if (latest?.state === 'PENDING') await settle(trx, latest, { state: 'REPLACED', now: terms.now });
  const asked = await trx
    .insertInto('refund_approval')
    .values({
      organisation_id: terms.organisationId,
      alert_id: terms.alertId,
      charge_reference: terms.chargeReference,
      movement_id: terms.movementId,
      ends_at: terms.endsAt,
      amount_minor: terms.amountMinor,
      currency: terms.currency,
      state: 'PENDING',
      asked_at: terms.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return await countDecider(trx, asked, terms);
}

function isFor(row: ApprovalRow, terms: ApprovalTerms): boolean {
  return (
    row.movement_id === terms.movementId &&
    (row.ends_at === null || row.ends_at > terms.now) &&
    row.charge_reference === terms.chargeReference &&
    row.currency === terms.currency &&
    row.amount_minor === terms.amountMinor
  );
}

async function countDecider(
  trx: Trx,
  row: ApprovalRow,
  { operator, now }: ApprovalTerms,
): Promise<boolean> {
  if (operator === undefined) return false;
  await addApprover(trx, row, { operator, now });
  return (await settleIfEnough(trx, row, now)).state === 'APPROVED';
}

/** The alert's latest approval, or undefined. */
export async function findApproval(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<ApprovalRow | undefined> {
  return await db
    .selectFrom('refund_approval')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Who agreed so far, in order. */
export async function approversOf(
  db: Db,
  approval: Pick<ApprovalRow, 'organisation_id' | 'id'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('refund_approver')
    .select('operator')
    .where('organisation_id', '=', approval.organisation_id)
    .where('approval_id', '=', approval.id)
    .orderBy('approved_at')
    .orderBy('person')
    .execute();
  return rows.map(({ operator }) => operator);
}

/** Adds a person. Returns false when that person agreed before. */
export async function addApprover(
  trx: Trx,
  row: ApprovalRow,
  { operator, now }: { readonly operator: string; readonly now: Date },
): Promise<boolean> {
  const result = await trx
    .insertInto('refund_approver')
    .values({
      approval_id: row.id,
      person: personOf(operator),
      organisation_id: row.organisation_id,
      operator,
      approved_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const isNew = (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  if (isNew) {
    await writeAudit(trx, {
      organisationId: row.organisation_id,
      at: now,
      ...byOperator(operator),
      alertId: row.alert_id,
      what: 'agreed to the refund',
      detail: {
        charge: row.charge_reference,
        amount_minor: row.amount_minor,
        currency: row.currency,
      },
    });
  }
  return isNew;
}

/** Where an approval stands after somebody agreed. */
export interface ApprovalStanding {
  readonly state: ApprovalState;
  readonly approvers: readonly string[];
}

/** Approves the refund once enough people agreed. */
export async function settleIfEnough(
  trx: Trx,
  row: ApprovalRow,
  now: Date,
): Promise<ApprovalStanding> {
  const approvers = await approversOf(trx, row);
  if (approvers.length < PEOPLE_NEEDED) return { state: 'PENDING', approvers };
  await settle(trx, row, { state: 'APPROVED', now });
  return { state: 'APPROVED', approvers };
}

/** Ends what two people agreed to about these movements: another attempt at them is asked for again. */
export async function endAgreement(
  trx: Trx,
  about: {
    readonly organisationId: string;
    readonly movementIds: readonly string[];
    readonly because: string;
    readonly now: Date;
  },
): Promise<void> {
  const { organisationId, movementIds, because, now } = about;
  if (movementIds.length === 0) return;
  await trx
    .updateTable('refund_approval')
    .set({ state: 'REPLACED', settled_at: now, settled_because: because })
    .where('organisation_id', '=', organisationId)
    .where('movement_id', 'in', movementIds)
    .where('state', '=', 'APPROVED')
    .execute();
}

/** Ends an approval. */
export async function settle(
  trx: Trx,
  row: ApprovalRow,
  to: { readonly state: Exclude<ApprovalState, 'PENDING' | 'OVERTAKEN'>; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable('refund_approval')
    .set({ state: to.state, settled_at: to.now })
    .where('organisation_id', '=', row.organisation_id)
    .where('id', '=', row.id)
    .where('state', '=', 'PENDING')
    .execute();
}
