/**
 * Gathers what a decision looks at: the alert, its match, the charge as the processor shows it now,
 * our own refund of it, and the order. The processor is asked once, and only about an alert that is open
 * and has a charge; what it shows is written onto the ledger.
 */
import { z } from 'zod';
import type { Trx } from '../../base/db/database.ts';
import { nowIso } from '../../base/kernel/clock.ts';
import { findOrder as findStoredOrder } from '../../orders/find-order.ts';
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { NamedMerchants } from '../cases/merchant.ts';
import { namedBy } from '../cases/merchant.ts';
import { refundGuardMs } from '../guard/refund-guard.ts';
import { GUARD_MS } from '../guard/refund-settings.ts';
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
import { isChargedBack } from '../ledger/reading-changes.ts';
import type { SamePartRule } from '../ledger/same-dispute.ts';
import { whyUndecided } from '../ledger/same-dispute.ts';
import { standingOf } from '../ledger/verdict.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { withLedgerAnd } from '../ledger/with-ledger.ts';
import type { StoredAlert } from '../match/match.store.ts';
import type { CaseView, MatchView } from './case-view.store.ts';
import { readCaseView } from './case-view.store.ts';
import type { GatherDeps } from './decide-deps.ts';
import { ledgerDeps } from './decide-deps.ts';
import type {
  AccountInputs,
  AlertInputs,
  CaseFacts,
  ChargeInputs,
  DecisionFacts,
  MatchInputs,
} from './facts.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { readCustomerFacts } from './history-facts.store.ts';
import type { CustomerFacts } from './history-facts.ts';
import { customerKeysOf } from './history-facts.ts';
import { orderFactsOf } from './order-facts.ts';
import { freshStanding } from './ratio-standing.store.ts';

/** The facts of a held case at this moment: what only a decision looks at is read where one is taken. */
export interface HeldFacts {
  readonly facts: CaseFacts;
  whole(): Promise<DecisionFacts>;
}

/** Gathers them. */
export async function gatherFacts(
  deps: GatherDeps,
  claim: CaseRow,
  signal: AbortSignal,
): Promise<HeldFacts> {
  const between = async (about: ShownAbout): Promise<ShownAbout> => about;
  return await withAccount(deps, { claim, signal, between }, async (facts, about) => ({
    facts,
    whole: async () => ({ ...facts, ...(await gatherAround(deps, about)) }),
  }));
}

/** What is done with the facts: where they were written, in that transaction, which holds the charge. */
type UseFacts<Result> = (facts: DecisionFacts, trx?: Trx) => Promise<Result>;

/** Whose facts, and until when they may be asked for. */
interface FactsOptions {
  readonly claim: CaseRow;
  readonly signal: AbortSignal;
}

/** Gathers all facts, and uses them. `ahead` is done once everything was asked, before anything is written. */
export async function withFacts<Result>(
  deps: GatherDeps,
  { ahead, ...options }: FactsOptions & { readonly ahead?: () => Promise<void> },
  use: UseFacts<Result>,
): Promise<Result> {
  const between = async (about: ShownAbout): Promise<Around> => {
    const around = await gatherAround(deps, about);
    await ahead?.();
    return around;
  };
  return await withAccount(
    deps,
    { ...options, between },
    async (facts, around, trx) => await use({ ...facts, ...around }, trx),
  );
}

/** The alert's account, and the charge as the processor shows it. */
interface GatheredAccount {
  readonly account: AccountInputs | null;
  /** Why the processor shows no charge; superseded by `shown`. */
  readonly charge: ChargeInputs;
  readonly shown?: ProcessorCharge | undefined;
  /** What the processor offers; undefined: it was not asked. */
  readonly capabilities?: ProcessorCapabilities;
}

/** An alert, and what is known of its case. */
interface AskedAbout {
  readonly claim: CaseRow;
  readonly view: CaseView;
}

/** The same, with its charge as the processor shows it. */
type ShownAbout = AskedAbout & { readonly shown: ProcessorCharge | undefined };

/** Asks about the charge, does what is `between`, writes what was shown onto the ledger, and uses both. */
async function withAccount<Between, Result>(
  deps: GatherDeps,
  {
    claim,
    signal,
    between,
  }: FactsOptions & { readonly between: (about: ShownAbout) => Promise<Between> },
  use: (facts: CaseFacts, done: Between, trx?: Trx) => Promise<Result>,
): Promise<Result> {
  const view = await readCaseView(deps.db, claim);
  const about = { claim, view };
  const charge = chargeToAsk(about);
  if (charge === undefined) return await useUnread(deps, { ...about, between, use });
  const { alert_id: alertId } = claim;
  const { samePart } = ledgerDeps(deps);
  const gather = (shown: ProcessorCharge | undefined): Promise<Between> =>
    between({ ...about, shown });
  const read = await withLedgerAnd(
    ledgerDeps(deps),
    { charge, alertId, mark: view.mark, gather, signal },
    async (trx, opened, done) => {
      const gathered = accountOpened(view, { samePart, opened });
      return await use(factsOf(deps, about, gathered), done, trx);
    },
  );
  if (read.kind === 'done') return read.result;
  return await useUnread(deps, { ...about, between, use, reason: read.reason });
}

/** The same where the processor was not asked, or gave no answer for `reason`. */
async function useUnread<Between, Result>(
  deps: GatherDeps,
  {
    between,
    use,
    reason,
    ...about
  }: AskedAbout & {
    readonly between: (about: ShownAbout) => Promise<Between>;
    readonly use: (facts: CaseFacts, done: Between) => Promise<Result>;
    readonly reason?: string;
  },
): Promise<Result> {
  const done = await between({ ...about, shown: undefined });
  return await use(factsOf(deps, about, await readAccount(deps, about, reason)), done);
}

/** What the order says, and of whom. */
type Around = Omit<DecisionFacts, keyof CaseFacts>;

async function gatherAround(deps: GatherDeps, { claim, view, shown }: ShownAbout): Promise<Around> {
  const orderReference = view.orderReference ?? shown?.orderReference ?? null;
  const order = orderReference === null ? undefined : await orderOf(deps, view, orderReference);
  return {
    order: order === undefined ? null : orderFactsOf(order),
    customer: await gatherCustomer(deps, { claim, order, orderReference }),
    evidence: await gatherEvidence(deps, { claim, alert: view.alert }),
  };
}

/** The order of our index came with the case; another one is named by the processor alone. */
async function orderOf(
  { db, organisationId, findOrder }: GatherDeps,
  view: CaseView,
  reference: string,
): Promise<unknown> {
  if (findOrder !== undefined) return findOrder(reference);
  if (reference === view.orderReference) return view.order;
  return (await findStoredOrder(db, organisationId, reference))?.body;
}

function factsOf(
  deps: GatherDeps,
  { claim, view }: AskedAbout,
  { account, charge, shown, capabilities }: GatheredAccount,
): CaseFacts {
  return {
    now: nowIso(deps.clock),
    deadlineAt: claim.deadline_at.toISOString(),
    mode: deps.mode,
    integrationType: deps.integrationType ?? CUSTOM_ORDERS_TYPE,
    refundGuardMs: refundGuardMs(deps.refundGuardMs ?? GUARD_MS, capabilities),
    alert: alertInputs(view.alert),
    match: matchInputs(view.match),
    charge: shown === undefined ? charge : foundInputs(shown, capabilities),
    account,
    history: view.history,
    ratio: freshStanding(view.ratio, deps.clock.nowMs()),
  };
}

async function gatherCustomer(
  { db, organisationId, asksBlocked = false }: GatherDeps,
  about: {
    readonly claim: CaseRow;
    readonly order: unknown;
    readonly orderReference: string | null;
  },
): Promise<CustomerFacts | null> {
  const { claim, order, orderReference } = about;
  const keys = customerKeysOf(order);
  if (keys === null || orderReference === null) return null;
  const alertId = claim.alert_id;
  return await readCustomerFacts(db, {
    organisationId,
    keys,
    orderReference,
    alertId,
    asksBlocked,
  });
}

const number = z.number().nullable().catch(null).default(null);
const evidenceSchema = z.looseObject({
  score: number,
  margin: number,
  unanswered: z.boolean().catch(false).default(false),
});
const candidatesSchema = z.array(z.looseObject({ reference: z.string(), score: number }));

function matchInputs(match: MatchView | undefined): MatchInputs {
  if (match === undefined) return { outcome: 'none', tier: null };
  const evidence = evidenceSchema.safeParse(match.evidence);
  const candidates = candidatesSchema.safeParse(match.candidates);
  const chosen = candidates.data?.find(({ reference }) => reference === match.charge_reference);
  return {
    outcome: match.outcome,
    tier: match.tier,
    score: chosen?.score ?? evidence.data?.score ?? null,
    margin: evidence.data?.margin ?? null,
    by: match.matched_by.startsWith('operator') ? 'operator' : 'matcher',
    unanswered: evidence.data?.unanswered ?? false,
  };
}

function alertInputs(alert: StoredAlert): AlertInputs {
  return {
    id: alert.id,
    status: alert.status,
    enrolmentType: alert.enrolment_type,
    refundOutcome: alert.refund_outcome,
    amountMinor: alert.amount_minor,
    currency: alert.currency,
    descriptor: alert.descriptor,
    scheme: alert.card_scheme,
    issuer: alert.card_issuer,
    reasonCode: alert.reason_code,
    merchantId: alert.merchant_id,
    cardBin: alert.card_bin,
    authorisedAt: alert.authorised_at?.toISOString() ?? null,
    createdAt: alert.created_at?.toISOString() ?? null,
    updatedAt: alert.updated_at.toISOString(),
    cardLast4: alert.card_last4,
    networkId: alert.network_id,
    authorisationCode: alert.authorisation_code,
    acquirerReferenceNumber: alert.acquirer_reference_number,
    enrolmentId: alert.enrolment_id,
    integrationId: alert.integration_id,
    transactionReference: alert.integration_transaction_id,
    subscriptionCancelOutcome: alert.subscription_cancel_outcome,
    note: alert.note,
    merchantIds: namedBy(alert).merchantIds,
  };
}

/** The merchants that the alert of these facts names. */
export function merchantsIn({ alert }: DecisionFacts): NamedMerchants {
  return { merchantId: alert.merchantId, merchantIds: alert.merchantIds ?? [] };
}

function foundInputs(
  charge: ProcessorCharge,
  capabilities: GatheredAccount['capabilities'],
): ChargeInputs {
  const settled = charge.refunds.filter(({ status }) => status === 'succeeded');
  const pending = charge.refunds.filter(({ status }) => status === 'pending');
  return {
    kind: 'found',
    reference: charge.reference,
    status: charge.status,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    refundableMinor: charge.refundableMinor,
    disputed: charge.disputed,
    refundedMinor: sumOf(settled),
    pendingMinor: sumOf(pending),
    refundReference: settled[0]?.reference ?? null,
    isChargedBack: isChargedBack(charge),
    ...(capabilities === undefined ? {} : { refusesOverRefund: capabilities.refusesOverRefund }),
  };
}

function sumOf(refunds: ProcessorCharge['refunds']): number {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** The charge of an alert that may be answered, of which the processor is asked; undefined: it is not asked. */
function chargeToAsk({ claim, view }: AskedAbout): ChargeKey | undefined {
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
async function readAccount(
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
function accountOpened(
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
