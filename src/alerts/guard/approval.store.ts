/**
 * Two people for a large refund, or for what somebody says of as much money: who said it, who agreed, and to what.
 *
 * An approval names what it approves: the kind, the movement, the charge, the amount and the reference. Another word is another
 * approval and replaces none. A refund that a policy decided needs two people; one that a person decided needs one more. What
 * the processor refused may be tried again on it; what one person wants again, or says did not execute, may not. A word
 * about money takes effect once: said again, it needs two people again.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { personOf } from '../cases/person.ts';
import { readEntrusted } from './entrusted.store.ts';
import type { ApprovalKind, ApprovalState, RefundApprovalTable } from './guard.table.ts';
import { areTwoPeople } from './second-person.ts';

/** How many people a refund above the amount needs. */
export const PEOPLE_NEEDED = 2;

/** An approval as read. */
export type ApprovalRow = Selectable<RefundApprovalTable>;

/** What is to be approved. */
export interface ApprovalTerms {
  readonly organisationId: string;
  readonly alertId: string;
  readonly kind: ApprovalKind;
  /** The movement that is to be sent, or what is said; an approval serves no other. */
  readonly movementId: string;
  readonly chargeReference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Where the money can be found, where somebody says so. */
  readonly reference?: string | undefined;
  /** When their word ends: the alert's deadline; null: it does not. */
  readonly endsAt: Date | null;
  /** The person who decided or said it; undefined when a policy did. */
  readonly operator: string | undefined;
  readonly now: Date;
}

/**
 * Whether two people agreed to exactly this. If not, it is asked for, and the person who decided or said it
 * counts as the first.
 */
export async function isApproved(trx: Trx, terms: ApprovalTerms): Promise<boolean> {
  const named = await findNamed(trx, terms);
  const isCurrent = named !== undefined && (named.ends_at === null || named.ends_at > terms.now);
  // What was said has taken effect with the second person's word, in that very transaction.
  if (isCurrent && named.state === 'APPROVED' && terms.kind === 'REFUND') return true;
  if (isCurrent && named.state === 'PENDING') return await countDecider(trx, named, terms);
  await replaceOthers(trx, terms);
  const asked = await trx
    .insertInto('refund_approval')
    .values({
      organisation_id: terms.organisationId,
      alert_id: terms.alertId,
      kind: terms.kind,
      charge_reference: terms.chargeReference,
      movement_id: terms.movementId,
      reference: terms.reference ?? null,
      ends_at: terms.endsAt,
      amount_minor: terms.amountMinor,
      currency: terms.currency,
      state: 'PENDING',
      asked_at: terms.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const isEnough = await countDecider(trx, asked, terms);
  if (!isEnough) await tellOthers(trx, asked, terms);
  return isEnough;
}

const SAID: Readonly<Record<Exclude<ApprovalKind, 'REFUND'>, string>> = {
  REFUNDED_OUTSIDE: 'went back outside the processor',
  DID_EXECUTE: 'was refunded after all',
  ACCEPT_DISPUTE: 'went back, and the dispute is accepted all the same',
};

/** That a word about money waits for somebody else. Of a refund that waits the case tells, which is held by it. */
async function tellOthers(trx: Trx, row: ApprovalRow, terms: ApprovalTerms): Promise<void> {
  const { organisationId, alertId, kind, amountMinor, currency, operator, now } = terms;
  if (kind === 'REFUND' || operator === undefined) return;
  const sum = formatMoney({ amountMinor, currency });
  await notify(trx, {
    organisationId,
    dedupeKey: `approval:${row.id}`,
    kind: 'second_person',
    severity: 'warning',
    alertId,
    text: `${operator} says of alert ${alertId} that ${sum} ${SAID[kind]}. It has no effect before a second person says the same: look where the money is, then say it or decline it on the page of the alert.`,
    at: now,
  });
}

/** What waits for a second person, and who asked. */
export interface WaitingApproval {
  readonly alertId: string;
  readonly kind: ApprovalKind;
  readonly amountMinor: number;
  readonly currency: string;
  readonly askedAt: Date;
  readonly approvers: readonly string[];
}

/** What this person may agree to, or say the same of, the first asked first. What they said themselves waits for others. */
export async function approvalsFor(
  db: Db,
  about: {
    readonly organisationId: string;
    readonly operator: string;
    readonly now: Date;
    readonly limit: number;
  },
): Promise<readonly WaitingApproval[]> {
  const { organisationId, operator, now, limit } = about;
  const { rows } = await sql<WaitingApproval>`
    select a.alert_id as "alertId", a.kind, a.amount_minor as "amountMinor", a.currency, a.asked_at as "askedAt",
      array(select p.operator from refund_approver p
        where p.organisation_id = a.organisation_id and p.approval_id = a.id order by p.approved_at) as approvers
    from refund_approval a
    join alert_case k on k.organisation_id = ${organisationId} and k.alert_id = a.alert_id and k.is_open
    where a.organisation_id = ${organisationId} and a.state = 'PENDING' and a.kind is not null
      and (a.ends_at is null or a.ends_at > ${now})
      and (a.kind <> 'REFUND' or (k.state = 'HUMAN' and k.hold_reason = 'approval_needed'))
      and not exists (select from refund_approver p
        where p.organisation_id = ${organisationId} and p.approval_id = a.id and p.person = ${personOf(operator)})
    order by a.asked_at, a.id limit ${limit}`.execute(db);
  return rows;
}

/** The latest approval of exactly this. */
async function findNamed(trx: Trx, terms: ApprovalTerms): Promise<ApprovalRow | undefined> {
  return await trx
    .selectFrom('refund_approval')
    .selectAll()
    .where('organisation_id', '=', terms.organisationId)
    .where('alert_id', '=', terms.alertId)
    .where('kind', '=', terms.kind)
    .where('movement_id', '=', terms.movementId)
    .where('charge_reference', '=', terms.chargeReference)
    .where('amount_minor', '=', terms.amountMinor)
    .where('currency', '=', terms.currency)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** A refund that is asked for takes the place of another that was; a word only of itself, once its time is over. */
async function replaceOthers(trx: Trx, terms: ApprovalTerms): Promise<void> {
  const open = trx
    .updateTable('refund_approval')
    .set({ state: 'REPLACED', settled_at: terms.now })
    .where('organisation_id', '=', terms.organisationId)
    .where('alert_id', '=', terms.alertId)
    .where('kind', '=', terms.kind)
    .where('state', '=', 'PENDING');
  const replaced =
    terms.kind === 'REFUND'
      ? open
      : open.where('movement_id', '=', terms.movementId).where('ends_at', '<=', terms.now);
  await replaced.execute();
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

/** One approval of an alert by its id, or undefined. */
export async function findApproval(
  db: Db,
  { organisationId, alertId }: { readonly organisationId: string; readonly alertId: string },
  id: number,
): Promise<ApprovalRow | undefined> {
  return await db
    .selectFrom('refund_approval')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** What two people are asked to agree to for an alert now, the first asked first; where nothing is, the last that ended. */
export async function listApprovals(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<ApprovalRow[]> {
  const rows = await db
    .selectFrom('refund_approval')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id')
    .execute();
  const waiting = rows.filter(({ state, kind }) => state === 'PENDING' && kind !== null);
  return waiting.length > 0 ? waiting : rows.slice(-1);
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
      what: row.kind === 'REFUND' ? 'agreed to the refund' : `said ${row.kind ?? ''}`,
      detail: {
        approval: row.id,
        charge: row.charge_reference,
        amount_minor: row.amount_minor,
        currency: row.currency,
        ...(row.reference === null ? {} : { reference: row.reference }),
      },
    });
  }
  return isNew;
}

/** The state of an approval after somebody agreed. */
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
  const given = await readEntrusted(trx, row.organisation_id, now);
  const isEnough = approvers.some((one, place) =>
    approvers.slice(place + 1).some((other) => areTwoPeople(one, other, given)),
  );
  if (!isEnough) return { state: 'PENDING', approvers };
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
