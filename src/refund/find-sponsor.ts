/**
 * Finds, among the cases that wait for a refund, one for which it may be sent now. One charge may have
 * several alerts; the refund is sent when any of them is still open and allows it.
 */
import { readCaseDecision } from '../cases/case-decision.store.ts';
import { isPaused } from '../guard/pause.store.ts';
import type { ChargeVerdict } from './assess-charge.ts';
import type { Examination } from './examine.ts';
import { examine } from './examine.ts';
import type { RefundRow } from './refund.store.ts';
import { casesOfRefund } from './refund-cases.store.ts';
import { ALERT_CLOSED } from './refunding-step.ts';
import type { SagaDeps } from './saga-deps.ts';
import type { Sponsor } from './send-refund.ts';

/** What {@link findSponsor} found. */
export type Sponsorship =
  | { readonly kind: 'send'; readonly sponsor: Omit<Sponsor, 'provenAbsent' | 'signal'> }
  /** The processor shows that nothing needs to be sent. */
  | {
      readonly kind: 'stands';
      readonly verdict: Extract<ChargeVerdict, { kind: 'ours' | 'external' | 'voided' }>;
    }
  | { readonly kind: 'later'; readonly reason: string }
  /** No case may have it sent; `failureCode` says why. */
  | { readonly kind: 'none'; readonly failureCode: string };

/** Alerts of one charge that are examined for one refund; more than two are unheard of. */
const SPONSORS_MAX = 5;

/** Examines the waiting cases, the one with most time first. */
export async function findSponsor(
  deps: SagaDeps,
  refund: RefundRow,
  signal: AbortSignal,
): Promise<Sponsorship> {
  if (deps.shadow) return { kind: 'later', reason: 'shadow mode sends nothing' };
  if (await isPaused(deps.db, refund.organisation_id)) {
    // What never left goes to a person; what may have executed is only asked for.
    return refund.state === 'INTENT'
      ? { kind: 'none', failureCode: 'paused' }
      : { kind: 'later', reason: 'refunds are paused' };
  }
  const cases = await casesOfRefund(deps.db, refund, ['REFUNDING']);
  let failureCode: string = ALERT_CLOSED;
  for (const owner of cases.slice(0, SPONSORS_MAX)) {
    const decision = await readCaseDecision(deps.db, owner);
    if (decision === undefined) continue;
    const found = await examine(
      deps,
      {
        owner,
        decision,
        chargeReference: refund.charge_reference,
        idempotencyKey: refund.idempotency_key,
      },
      signal,
    );
    const sponsorship = judge(refund, found, { owner, byOperator: decision.byOperator });
    if (sponsorship.kind !== 'none') return sponsorship;
    if (sponsorship.failureCode !== ALERT_CLOSED) failureCode = sponsorship.failureCode;
  }
  return { kind: 'none', failureCode };
}

function judge(
  refund: RefundRow,
  found: Examination,
  who: Pick<Sponsor, 'owner' | 'byOperator'>,
): Sponsorship {
  if (found.kind === 'later') return found;
  if (found.kind === 'closed') return { kind: 'none', failureCode: ALERT_CLOSED };
  if (found.kind === 'rdr') return { kind: 'none', failureCode: 'network_refunded' };
  if (found.kind === 'hold') return { kind: 'none', failureCode: found.reason };
  const { verdict, alert } = found;
  switch (verdict.kind) {
    case 'refund':
      // The key was stored for one amount; for another the processor would refuse or double it.
      return refund.kind === 'refund' && verdict.amountMinor === refund.amount_minor
        ? { kind: 'send', sponsor: { ...who, alertMinor: alert.amountMinor ?? 0 } }
        : { kind: 'none', failureCode: 'charge_changed' };
    case 'void':
      return refund.kind === 'void'
        ? { kind: 'send', sponsor: { ...who, alertMinor: 0 } }
        : { kind: 'none', failureCode: 'charge_changed' };
    case 'ours':
    case 'external':
      return { kind: 'stands', verdict };
    case 'voided':
      return refund.kind === 'void'
        ? { kind: 'stands', verdict }
        : { kind: 'none', failureCode: 'charge_changed' };
    case 'accept':
    case 'review':
      return { kind: 'none', failureCode: verdict.reason };
    case 'wait':
      return { kind: 'later', reason: verdict.reason };
  }
}
