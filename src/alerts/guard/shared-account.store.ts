/**
 * Organisations of one installation that name the same processor account: each has keys of its own, so the
 * processor cannot tell that two of them answer the same complaint. What they send is seen through the wall: one of
 * them refunds or accepts on a charge only when the others' requests there have ended and can be seen at the processor.
 */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { ALL_ORGANISATIONS, amongOrganisations } from '../../base/db/for-organisation.ts';
import { lockOrganisation } from '../../base/db/organisation-lock.store.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';

/** Anyone who decides about a shared account's money does so one after another. Taken after the organisation's own locks. */
const ACCOUNT_LOCK = 'shared_account';

/** The others; empty: no other has the account. */
export type SharesAccountWith = () => readonly string[];

/** What another organisation has to do with the charge. */
export type OthersOnCharge =
  | { readonly kind: 'nothing' }
  /** Its request is without an answer. */
  | { readonly kind: 'under_way'; readonly why: string }
  /** It was carried out so lately that the reading may not show it; from then on one does. */
  | { readonly kind: 'just_sent'; readonly why: string; readonly shownFrom: Date }
  /** It has answered an alert about the charge with `ACCEPT_DISPUTE`. */
  | { readonly kind: 'accepted' };

/** A charge, and how old the reading of it is that something rests on. */
export interface SharedCharge {
  readonly charge: ChargeKey;
  readonly others: SharesAccountWith | undefined;
  /** When the reading was there; undefined: nothing was read. */
  readonly readAtMs: number | undefined;
  readonly lookupLagSeconds: number;
}

/** Asks, and holds the lock until the transaction ends: what is decided by the answer is seen by the next one. */
export async function othersOnCharge(
  trx: Trx,
  { charge, others, readAtMs, lookupLagSeconds }: SharedCharge,
): Promise<OthersOnCharge> {
  const ids = others?.() ?? [];
  if (ids.length === 0) return { kind: 'nothing' };
  const organisationIds = [charge.organisationId, ...ids];
  const found = await amongOrganisations(
    trx,
    { reason: 'shared_account', organisationIds },
    async () => {
      await lockOrganisation(trx, ALL_ORGANISATIONS, ACCOUNT_LOCK);
      return await readOthers(trx, ids, charge.chargeReference);
    },
  );
  const { in_doubt: id, moved_at: movedAt, moved_by, is_accepted } = found;
  if (id !== null) {
    return { kind: 'under_way', why: `a refund of the charge by ${id} waits for its answer` };
  }
  // Asked at most a lease before it was there; and what is shown may be as old as the lag.
  const visibleMs = LEASE_MS + lookupLagSeconds * 1_000;
  if (movedAt !== null && movedAt.getTime() + visibleMs >= (readAtMs ?? Number.NEGATIVE_INFINITY)) {
    const shownFrom = new Date(movedAt.getTime() + visibleMs + 1);
    return { kind: 'just_sent', why: `${moved_by} has just refunded on the charge`, shownFrom };
  }
  return { kind: is_accepted ? 'accepted' : 'nothing' };
}

interface OthersRow {
  /** One whose request waits for its answer. */
  readonly in_doubt: string | null;
  /** When the last of them moved money, and which. */
  readonly moved_at: Date | null;
  readonly moved_by: string | null;
  readonly is_accepted: boolean;
}

/** All of them together: what one did must not hide what another said. */
async function readOthers(trx: Trx, ids: readonly string[], reference: string): Promise<OthersRow> {
  const { rows } = await sql<OthersRow>`
    select min(organisation_id) filter (where state in ('SENT', 'UNKNOWN', 'HUMAN')) as in_doubt,
      max(moved_at) as moved_at, (array_agg(organisation_id order by moved_at desc nulls last))[1] as moved_by, exists (
        select from alert_case k
        join declaration d on d.organisation_id = k.organisation_id and d.alert_id = k.alert_id
        where k.organisation_id = any(${ids}::text[]) and k.charge_reference = ${reference}
          and d.action = 'ACCEPT_DISPUTE' and d.state in ('DUE', 'SENT', 'DONE')) as is_accepted
    from (
      select organisation_id, state, case when state in ('PENDING', 'CONFIRMED') then greatest(sent_at, confirmed_at) end as moved_at
      from movement where organisation_id = any(${ids}::text[]) and charge_reference = ${reference}
        and idempotency_key is not null) m`.execute(trx);
  const [row] = rows;
  assertInvariant(row !== undefined, 'A sum over all rows has one row.');
  return row;
}
