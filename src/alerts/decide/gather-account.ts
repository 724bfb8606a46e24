/**
 * What the charge's ledger says about an alert: the processor is read, the reading written onto the
 * ledger, and the alert placed in its dispute. Only an alert that is open and has a charge is asked
 * about.
 */

import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import {
  coverOf,
  disputeOf,
  isOurs,
  mayHaveExecuted,
  movementBehind,
  outMinor,
  surplusMinor,
  unnamedBefore,
} from '../ledger/ledger.ts';
import type { SamePartRule } from '../ledger/same-dispute.ts';
import { whyUndecided } from '../ledger/same-dispute.ts';
import { standingOf } from '../ledger/verdict.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import type { StoredAlert } from '../match/match.store.ts';
import type { CaseView } from './case-view.store.ts';
import type { GatherDeps } from './decide-deps.ts';
import type { AccountInputs, ChargeInputs } from './facts.ts';

/** The alert's account, and the charge as the processor shows it. */
export interface GatheredAccount {
  readonly account: AccountInputs | null;
  /** Why the processor shows no charge; superseded by `shown`. */
  readonly charge: ChargeInputs;
  readonly shown?: ProcessorCharge | undefined;
  /** What the processor offers; undefined: it was not asked. */
  readonly capabilities?: ProcessorCapabilities;
}

/** An alert, and what is known of its case. */
export interface AskedAbout {
  readonly claim: CaseRow;
  readonly view: CaseView;
}

/** The charge of an alert that may be answered, of which the processor is asked; undefined: it is not asked. */
export function chargeToAsk({ claim, view }: AskedAbout): ChargeKey | undefined {
  const { status, enrolment_type } = view.alert;
  const mayBeAnswered = status === 'ACTION_REQUIRED' && enrolment_type !== 'NETB_RDR';
  return mayBeAnswered ? chargeOf(claim) : undefined;
}

function chargeOf({ organisation_id, charge_reference }: CaseRow): ChargeKey | undefined {
  if (charge_reference === null) return undefined;
  return { organisationId: organisation_id, chargeReference: charge_reference };
}

/**
 * The account as our rows have it: nothing new is known of the charge.
 *
 * @param reason why the processor did not answer; undefined: it was not asked
 */
export async function readAccount(
  deps: GatherDeps,
  { claim, view }: AskedAbout,
  reason: string | undefined,
): Promise<GatheredAccount> {
  const charge = chargeOf(claim);
  if (charge === undefined) return { account: null, charge: { kind: 'none' } };
  const about = { alert: view.alert, samePart: deps.samePart ?? 'REVIEW', pendingCounts: false };
  const account = accountInputs(await readLedger(deps.db, charge), about);
  if (reason === undefined) return { account, charge: { kind: 'none' } };
  return { account, charge: { kind: 'unavailable', reason } };
}

/** The account with what the processor said, as it was written onto the ledger. */
export function accountOpened(
  { alert }: CaseView,
  { samePart, opened }: { readonly samePart: SamePartRule; readonly opened: OpenedLedger },
): GatheredAccount {
  const { ledger, answer, shown } = opened;
  const { capabilities, processor } = answer;
  const { pendingCounts } = capabilities;
  const account = accountInputs(ledger, { alert, samePart, pendingCounts, processor });
  if (answer.kind !== 'read') return { account, charge: { kind: answer.kind }, capabilities };
  return { account, charge: { kind: 'none' }, shown, capabilities };
}

/** The ledger as one alert sees it. Pure. */
function accountInputs(
  ledger: Ledger,
  about: {
    readonly alert: Pick<StoredAlert, 'id' | 'amount_minor' | 'currency'>;
    readonly samePart: NonNullable<GatherDeps['samePart']>;
    readonly pendingCounts: boolean;
    /** The name of the processor that answered. */
    readonly processor?: string;
  },
): AccountInputs {
  const { alert, pendingCounts, samePart } = about;
  const place = ledger.disputes.findIndex(({ alerts }) =>
    alerts.some(({ alertId }) => alertId === alert.id),
  );
  const disputeId = ledger.disputes[place]?.id ?? null;
  const { amount_minor: amountMinor, currency } = alert;
  const claim = { alertId: alert.id, disputeId, amountMinor, currency };
  const { processor } = about;
  const through = processor === undefined ? {} : { processor };
  const standing = standingOf(ledger, claim, { pendingCounts, samePart, ...through });
  const { isCovered, isUnclear, underWay: waits } = standing;
  const own = ledger.movements.filter((each) => isOurs(each) && each.disputeId === disputeId);
  const underWay = ledger.movements.find(({ id }) => id === waits?.id);
  const behind = isCovered ? movementBehind(ledger, claim) : standingFor(ledger, disputeId);
  return {
    disputeId,
    dispute: isUnclear ? 'unclear' : firstOrFurther(place),
    unclearBecause: isUnclear ? (whyUndecided(ledger, alert.id, samePart) ?? null) : null,
    isCovered,
    coveredMinor: disputeId === null ? 0 : coverOf(ledger, disputeId, pendingCounts),
    outMinor: standing.outMinor,
    chargeOutMinor: outMinor(ledger),
    unnamedMinor: unnamedMinor(ledger, disputeId),
    underWay:
      underWay === undefined
        ? null
        : { id: underWay.id, amountMinor: underWay.amountMinor, isVoid: underWay.kind === 'void' },
    isAccepted: standing.isAccepted,
    isRefundAhead: standing.isRefundAhead,
    isReversed: standing.isReversed,
    refusal: refusalOf(own),
    refundedBy: behind === undefined ? null : whoseMoney(behind),
    reference: behind?.reference ?? behind?.alertId ?? null,
    standing,
  };
}

/** Places of disputes begin at 0, in the order in which they were opened; -1: none. */
function firstOrFurther(place: number): 'first' | 'further' {
  return place > 0 ? 'further' : 'first';
}

function unnamedMinor(ledger: Ledger, disputeId: string | null): number {
  const dispute = disputeOf(ledger, disputeId);
  const before = dispute === undefined ? [] : unnamedBefore(ledger, dispute);
  return before.reduce((total, each) => total + surplusMinor(each), 0);
}

function standingFor({ movements }: Ledger, disputeId: string | null): Movement | undefined {
  return movements.find(
    (each) => mayHaveExecuted(each) && each.covers.some((cover) => cover.disputeId === disputeId),
  );
}

function whoseMoney(movement: Movement): 'us' | 'support' | 'network' {
  if (isOurs(movement)) return 'us';
  return movement.kind === 'network' ? 'network' : 'support';
}

function refusalOf(own: readonly Movement[]): AccountInputs['refusal'] {
  const last = own.findLast(({ state }) => state === 'REJECTED');
  if (last?.failureClass == null) return null;
  return { code: last.failureCode, failureClass: last.failureClass };
}
