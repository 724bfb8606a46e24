/**
 * What the charge's ledger says about an alert: the processor is read, the reading written onto the
 * ledger, and the alert placed in its dispute. Only an alert that is open and has a charge is asked
 * about.
 */

import type { Trx } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { Lifetime } from '../guard/refund-guard.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import {
  coverOf,
  disputeOf,
  isAccepted,
  isCovered,
  isOurs,
  isRefundAhead,
  mayHaveExecuted,
  movementBehind,
  outForDispute,
  outMinor,
  surplusMinor,
  unnamedBefore,
  unsettledFor,
} from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { whyUndecided } from '../ledger/place.store.ts';
import type { ReadingAnswer } from '../ledger/take-reading.ts';
import { takeReadingAfter } from '../ledger/take-reading.ts';
import type { StoredAlert } from '../match/match.store.ts';
import type { CaseView } from './case-view.store.ts';
import type { GatherDeps } from './decide-deps.ts';
import type { AccountInputs, ChargeInputs } from './facts.ts';

/** The alert's account, and the charge as the processor shows it. */
export interface GatheredAccount {
  readonly account: AccountInputs | null;
  /** Why the processor shows no charge; superseded by `shown`. */
  readonly charge: ChargeInputs;
  readonly shown?: ProcessorCharge;
  /** How long a refund there may be without an answer. */
  readonly lifetime?: Lifetime;
}

/** An alert, and what is known of its case. */
export interface AskedAbout {
  readonly claim: CaseRow;
  readonly view: CaseView;
}

/** What the processor said; undefined: it was not asked. */
export type Asked = ReadingAnswer | undefined;

/** Asks the processor about the charge of an alert that may be answered. */
export async function askAbout(
  deps: Pick<GatherDeps, 'clock' | 'processor'>,
  { claim, view }: AskedAbout,
  signal: AbortSignal,
): Promise<Asked> {
  const charge = chargeOf(claim);
  if (charge === undefined || !mayBeAnswered(view.alert)) return undefined;
  return await takeReadingAfter(deps, { charge, mark: view.mark }, signal);
}

function chargeOf({ organisation_id, charge_reference }: CaseRow): ChargeKey | undefined {
  if (charge_reference === null) return undefined;
  return { organisationId: organisation_id, chargeReference: charge_reference };
}

function mayBeAnswered({ status, enrolment_type }: StoredAlert): boolean {
  return status === 'ACTION_REQUIRED' && enrolment_type !== 'NETB_RDR';
}

/** The account as our rows have it: nothing new is known of the charge. */
export async function readAccount(
  deps: GatherDeps,
  { claim, view }: AskedAbout,
  asked: Exclude<Asked, Answered>,
): Promise<GatheredAccount> {
  const charge = chargeOf(claim);
  if (charge === undefined) return { account: null, charge: { kind: 'none' } };
  const about = { alert: view.alert, samePart: deps.samePart ?? 'REVIEW', pendingCounts: false };
  const account = accountInputs(await readLedger(deps.db, charge), about);
  if (asked === undefined) return { account, charge: { kind: 'none' } };
  return { account, charge: { kind: 'unavailable', reason: asked.reason } };
}

/** The processor answered. */
export type Answered = Exclude<ReadingAnswer, { kind: 'unavailable' }>;

/** Whether it did, so that what it said is to be written. */
export function isAnswered(asked: Asked): asked is Answered {
  return asked !== undefined && asked.kind !== 'unavailable';
}

/**
 * Writes onto the ledger what the processor said, under the charge's lock.
 *
 * @throws {StaleReadingError} when the ledger has overtaken it
 */
export async function writeAccount(
  trx: Trx,
  deps: GatherDeps,
  { claim, view, answer }: AskedAbout & { readonly answer: Answered },
): Promise<GatheredAccount> {
  const charge = chargeOf(claim);
  if (charge === undefined) return { account: null, charge: { kind: 'none' } };
  const { alert } = view;
  const { capabilities } = answer;
  const samePart = deps.samePart ?? 'REVIEW';
  const ledger = await openLedger(trx, {
    charge,
    reading: answer.kind === 'read' ? answer.reading : undefined,
    capabilities,
    samePart,
    alertId: alert.id,
    now: nowDate(deps.clock),
  });
  const { pendingCounts } = capabilities;
  const account = accountInputs(ledger, { alert, samePart, pendingCounts });
  const lifetime = capabilities;
  if (answer.kind !== 'read') return { account, charge: { kind: answer.kind }, lifetime };
  return { account, charge: { kind: 'none' }, shown: answer.reading.charge, lifetime };
}

/** The ledger as one alert sees it. Pure. */
function accountInputs(
  ledger: Ledger,
  about: {
    readonly alert: Pick<StoredAlert, 'id' | 'amount_minor' | 'currency'>;
    readonly samePart: NonNullable<GatherDeps['samePart']>;
    readonly pendingCounts: boolean;
  },
): AccountInputs {
  const { alert, pendingCounts } = about;
  const place = ledger.disputes.findIndex(({ alerts }) =>
    alerts.some(({ alertId }) => alertId === alert.id),
  );
  const disputeId = ledger.disputes[place]?.id ?? null;
  const unclearBecause =
    disputeId === null ? whyUndecided(ledger, alert.id, about.samePart) : undefined;
  const claim = { disputeId, amountMinor: alert.amount_minor, currency: alert.currency };
  const own = ledger.movements.filter((each) => isOurs(each) && each.disputeId === disputeId);
  const underWay = unsettledFor(ledger, disputeId);
  const covers = isCovered(ledger, claim, pendingCounts);
  const behind = covers ? movementBehind(ledger, claim) : standingFor(ledger, disputeId);
  return {
    disputeId,
    dispute: unclearBecause === undefined ? firstOrFurther(place) : 'unclear',
    unclearBecause: unclearBecause ?? null,
    isCovered: covers,
    coveredMinor: disputeId === null ? 0 : coverOf(ledger, disputeId, pendingCounts),
    outMinor: disputeId === null ? 0 : outForDispute(ledger, disputeId),
    chargeOutMinor: outMinor(ledger),
    unnamedMinor: unnamedMinor(ledger, disputeId),
    underWay:
      underWay === undefined
        ? null
        : { id: underWay.id, amountMinor: underWay.amountMinor, isVoid: underWay.kind === 'void' },
    isAccepted: disputeId !== null && isAccepted(ledger, disputeId),
    isRefundAhead: isRefundAhead(ledger, alert.id),
    isReversed: !covers && own.at(-1)?.state === 'REVERSED',
    refusal: refusalOf(own),
    refundedBy: behind === undefined ? null : whoseMoney(behind),
    reference: behind?.reference ?? behind?.alertId ?? null,
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
