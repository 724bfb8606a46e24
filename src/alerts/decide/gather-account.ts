/**
 * What the charge's ledger says about an alert: the processor is read, the reading written onto the
 * ledger, and the alert placed in its dispute. Only an alert that is open and has a charge is asked
 * about.
 */

import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import {
  coverOf,
  isAccepted,
  isCovered,
  isOurs,
  isRefundAhead,
  mayHaveExecuted,
  movementBehind,
  outForDispute,
  outMinor,
  unsettledFor,
} from '../ledger/ledger.ts';
import { openLedger, StaleReadingError } from '../ledger/open-ledger.ts';
import { whyUndecided } from '../ledger/place.store.ts';
import type { ReadingAnswer } from '../ledger/take-reading.ts';
import { takeReading } from '../ledger/take-reading.ts';
import type { StoredAlert } from '../match/match.store.ts';
import type { GatherDeps } from './decide-deps.ts';
import type { AccountInputs, ChargeInputs } from './facts.ts';

/** The alert's account, and the charge as the processor shows it. */
export interface GatheredAccount {
  readonly account: AccountInputs | null;
  /** Why the processor shows no charge; superseded by `shown`. */
  readonly charge: ChargeInputs;
  readonly shown?: ProcessorCharge;
}

/** So often a reading is taken anew that the ledger has overtaken. */
const READINGS_MAX = 3;

/** Gathers it. */
export async function gatherAccount(
  deps: GatherDeps,
  about: { readonly claim: CaseRow; readonly alert: StoredAlert },
  signal: AbortSignal,
): Promise<GatheredAccount> {
  const { claim, alert } = about;
  const reference = claim.charge_reference;
  if (reference === null) return { account: null, charge: { kind: 'none' } };
  const charge = { organisationId: deps.organisationId, chargeReference: reference };
  const subject = { alert, samePart: deps.samePart ?? 'REVIEW' };
  if (!mayBeAnswered(alert)) {
    const ledger = await readLedger(deps.db, charge);
    return {
      account: accountInputs(ledger, { ...subject, pendingCounts: false }),
      charge: { kind: 'none' },
    };
  }
  for (let attempt = 1; ; attempt += 1) {
    const answer = await takeReading(deps, charge, signal);
    if (answer.kind === 'unavailable') {
      const ledger = await readLedger(deps.db, charge);
      const account = accountInputs(ledger, { ...subject, pendingCounts: false });
      return { account, charge: { kind: 'unavailable', reason: answer.reason } };
    }
    try {
      return await write(deps, { ...subject, answer, charge });
    } catch (error) {
      if (!(error instanceof StaleReadingError) || attempt >= READINGS_MAX) throw error;
    }
  }
}

function mayBeAnswered({ status, enrolment_type }: StoredAlert): boolean {
  return status === 'ACTION_REQUIRED' && enrolment_type !== 'NETB_RDR';
}

interface Subject {
  readonly alert: StoredAlert;
  readonly samePart: NonNullable<GatherDeps['samePart']>;
}

async function write(
  deps: GatherDeps,
  about: Subject & {
    readonly answer: Exclude<ReadingAnswer, { kind: 'unavailable' }>;
    readonly charge: { readonly organisationId: string; readonly chargeReference: string };
  },
): Promise<GatheredAccount> {
  const { answer, alert, charge, samePart } = about;
  const { capabilities } = answer;
  const reading = answer.kind === 'read' ? answer.reading : undefined;
  const ledger = await inTransaction(deps.db, (trx) =>
    openLedger(trx, {
      charge,
      reading,
      capabilities,
      samePart,
      alertId: alert.id,
      now: nowDate(deps.clock),
    }),
  );
  const { pendingCounts } = capabilities;
  const account = accountInputs(ledger, { alert, samePart, pendingCounts });
  if (answer.kind !== 'read') return { account, charge: { kind: answer.kind } };
  return { account, charge: { kind: 'none' }, shown: answer.reading.charge };
}

/** The ledger as one alert sees it. Pure. */
export function accountInputs(
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
