/**
 * Opens claims for a refund: from a fraud warning, or as somebody with the right asks for one. The same
 * source and reference is the same claim, however often it is asked for; its case follows.
 */
import { createHash } from 'node:crypto';
import type { ClaimSource } from '../../alerts/cases/claim.ts';
import { CLAIM_ID_PREFIX } from '../../alerts/cases/claim.ts';
import { ofCase, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { deriveId } from '../../base/kernel/ids.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import { dueOf, readLegalClocks } from './legal-clock.ts';
import type { ProcessorEventRow } from './processor-event.store.ts';
import type { RefundClaimRow } from './refund-claim.store.ts';
import { findClaim, insertClaim } from './refund-claim.store.ts';

/** What is claimed. */
export interface NewClaim {
  readonly organisationId: string;
  readonly source: ClaimSource;
  readonly reference: string;
  readonly chargeReference: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly country: string | null;
  readonly claimedAt: Date;
  readonly note: string;
  /** Who, as the audit log shows it. */
  readonly openedBy: string;
  readonly now: Date;
}

/** `other`: the same reference means another claim already. */
export type OpenedClaim =
  | { readonly kind: 'new' | 'known'; readonly claim: RefundClaimRow }
  | { readonly kind: 'other' };

const clocks = readLegalClocks();

/** Opens the claim, or finds it. */
export async function openClaim(db: Db, claim: NewClaim): Promise<OpenedClaim> {
  return await inTransaction(db, (trx) => openClaimIn(trx, claim));
}

async function openClaimIn(trx: Trx, claim: NewClaim): Promise<OpenedClaim> {
  const { organisationId, source, reference, now } = claim;
  const row = rowOf(claim);
  const isNew = await insertClaim(trx, row);
  const stored = await findClaim(trx, organisationId, row.id);
  if (stored === undefined || !isSame(stored, row)) return { kind: 'other' };
  if (!isNew) return { kind: 'known', claim: stored };
  await writeAudit(trx, {
    organisationId,
    at: now,
    ...ofCase(row.id),
    actor: claim.openedBy,
    what: `claim for a refund opened (${source})`,
    detail: { reference, charge: claim.chargeReference, due_by: row.due_by },
  });
  return { kind: 'new', claim: stored };
}

/** What a fraud warning claims: all of the charge, as the processor showed it. */
export async function openWarningClaim(
  trx: Trx,
  warned: {
    readonly organisationId: string;
    readonly event: ProcessorEventRow;
    readonly reference: string;
    readonly shown: ProcessorCharge;
    readonly now: Date;
  },
): Promise<void> {
  const { organisationId, event, reference, shown, now } = warned;
  if (shown.amountMinor <= 0) return;
  await openClaimIn(trx, {
    organisationId,
    source: 'FRAUD_WARNING',
    // One claim for each charge, however often the network warns of it.
    reference: createHash('sha256').update(reference).digest('hex'),
    chargeReference: reference,
    amountMinor: shown.amountMinor,
    currency: shown.currency,
    country: null,
    claimedAt: event.received_at,
    note: '',
    openedBy: `processor:${event.processor}`,
    now,
  });
}

function rowOf(claim: NewClaim): Omit<RefundClaimRow, 'next_action_at' | 'attempts'> {
  const { organisationId, source, reference, country, claimedAt, now } = claim;
  const { dueAt, dueBy } = dueOf(clocks, { source, country, claimedAt });
  return {
    organisation_id: organisationId,
    id: deriveId(CLAIM_ID_PREFIX.slice(0, -1), [source, reference]),
    source,
    reference,
    charge_reference: claim.chargeReference,
    amount_minor: claim.amountMinor,
    currency: claim.currency,
    country,
    claimed_at: claimedAt,
    due_at: dueAt,
    due_by: dueBy,
    note: claim.note,
    opened_by: claim.openedBy,
    opened_at: now,
  };
}

type Stored = Omit<RefundClaimRow, 'next_action_at' | 'attempts'>;

/** What is claimed, of which charge. When a warning came again is no difference. */
function isSame(one: Stored, other: Stored): boolean {
  return (
    one.charge_reference === other.charge_reference &&
    one.amount_minor === other.amount_minor &&
    one.currency === other.currency
  );
}
