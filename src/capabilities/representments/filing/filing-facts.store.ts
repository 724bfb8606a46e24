/** What is known here of a dispute at the processor: its representment, its pack, what its charge took. */
import { sql } from 'kysely';
import type { Db } from '../../../base/db/database.ts';
import type { Money } from '../../../base/kernel/money.ts';
import { findCharges } from '../../../orders/charge.store.ts';
import type { ProcessorDispute } from '../../../service/wire/processor-dispute.ts';
import type { Pack } from '../pack.ts';
import type { PackRules } from '../pack-rules.ts';
import { readPack } from '../read-pack.ts';
import type { RepresentmentRow } from '../representment-list.store.ts';
import { findRepresentment, sentPacks } from '../representment-pack.store.ts';
import type { JoinCandidate } from './join.ts';
import { representmentsOf } from './join.ts';

export interface FilingFacts {
  /** Representments that may be about it. */
  readonly candidates: readonly string[];
  /** The one that is. */
  readonly representment: RepresentmentRow | undefined;
  /** Something was noted as sent for it. */
  readonly isSentByHand: boolean;
  /** Undefined: its charge is not known here. */
  readonly charge: Money | undefined;
  readonly pack: Pack;
}

/** @param chosen the representment that was joined to it; empty: none is, as a person said; null: it was not said */
export async function readFilingFacts(
  db: Db,
  organisationId: string,
  wanted: {
    readonly dispute: ProcessorDispute;
    readonly chosen: string | null;
    readonly rules: PackRules;
    /** By which pack something was sent before; null: nothing was. */
    readonly recorded: string | null;
  },
): Promise<FilingFacts> {
  const { dispute, chosen, rules, recorded } = wanted;
  const found =
    chosen === null
      ? representmentsOf(dispute, await candidatesOf(db, organisationId, dispute)).map(
          ({ id }) => id,
        )
      : [chosen].filter((id) => id !== '');
  const [only] = found;
  const representment =
    only === undefined || found.length > 1
      ? undefined
      : await findRepresentment(db, organisationId, only);
  const charges = await findCharges(db, organisationId, [dispute.chargeReference]);
  const charge = charges.get(dispute.chargeReference);
  const about = asRepresentment(organisationId, dispute, representment);
  const sent =
    representment === undefined ? [] : await sentPacks(db, organisationId, [representment.id]);
  return {
    candidates: found,
    representment,
    isSentByHand: sent.length > 0,
    charge,
    pack: await readPack(db, { organisationId, representment: about, rules, recorded }),
  };
}

/** The charge and the reason are the processor's: it judges what is handed in to it. */
function asRepresentment(
  organisationId: string,
  dispute: ProcessorDispute,
  representment: RepresentmentRow | undefined,
): RepresentmentRow {
  const openedAt = new Date(dispute.openedAt ?? 0);
  const shown = {
    dispute_reference_id: dispute.reference,
    ...(dispute.reasonCode === null ? {} : { dispute_reason_code: dispute.reasonCode }),
    ...(dispute.openedAt === null ? {} : { disputed_at: dispute.openedAt }),
  };
  return {
    organisation_id: organisationId,
    id: representment?.id ?? dispute.reference,
    created_at: openedAt,
    updated_at: openedAt,
    snapshot_hash: Buffer.alloc(0),
    source: 'poll',
    read_at: null,
    told_at: null,
    told_as_update: false,
    needs_read: false,
    first_seen_at: openedAt,
    changed_at: openedAt,
    merchant_id: null,
    dispute_status: null,
    dispute_stage: null,
    ...representment,
    snapshot: { ...representment?.snapshot, ...shown },
    dispute_due_by: dispute.dueBy === null ? null : new Date(dispute.dueBy),
    amount_minor: dispute.amountMinor,
    currency: dispute.currency,
    transaction_reference_id: dispute.chargeReference,
    acquirer_reference_number: dispute.acquirerReferenceNumber,
  };
}

/**
 * Representments that name the dispute, its charge, or its acquirer reference number; none that another dispute has, or
 * that names another one that is known.
 */
async function candidatesOf(
  db: Db,
  organisationId: string,
  { reference, chargeReference, acquirerReferenceNumber }: ProcessorDispute,
): Promise<JoinCandidate[]> {
  const { rows } = await sql<JoinCandidate>`
    select r.id, r.snapshot->>'dispute_reference_id' as "disputeReference", r.transaction_reference_id as "chargeReference",
      r.acquirer_reference_number as "acquirerReferenceNumber", r.amount_minor as "amountMinor", r.currency,
      r.snapshot->>'disputed_at' as "disputedAt"
    from representment r
    where r.organisation_id = ${organisationId}
      and (r.snapshot->>'dispute_reference_id' = ${reference} or r.transaction_reference_id = ${chargeReference}
        or r.acquirer_reference_number = ${acquirerReferenceNumber})
      and not exists (select from processor_dispute p
        where p.organisation_id = r.organisation_id and p.reference <> ${reference}
          and (p.representment_id = r.id or p.reference = r.snapshot->>'dispute_reference_id'))
    order by r.id limit 50`.execute(db);
  return rows;
}
