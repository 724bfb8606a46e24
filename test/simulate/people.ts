/**
 * The operators: from time to time one looks at what is held and decides, not always wisely. What they say of requests and
 * complaints is true. Of money they err: one names a refund, or a cheque, that counts already, however it is written, and one
 * says alone, and again, what takes two. Neither may have any effect.
 */
import type { Kysely } from 'kysely';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import type {
  OperatorAction,
  OperatorDecision,
} from '../../src/alerts/review/operator-decision.ts';
import type { Database } from '../../src/base/db/database.ts';
import type { Clock } from '../../src/base/kernel/clock.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import type { Random } from '../../src/sandbox/ids.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { standing } from './oracle.ts';
import type { Truth } from './truth.ts';
import { addMinor } from './truth.ts';
import { Violation } from './violation.ts';
import { oneOf } from './weather.ts';

/** What an operator works with. */
export interface OperatorOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly random: Random;
  readonly organisationId: string;
  readonly sandbox: Sandbox;
  readonly truth: Truth;
  /** How often somebody errs about money, from 0 to 1. */
  readonly errs: number;
  /** How often somebody has decided about an alert. */
  readonly decided: Map<string, number>;
}

/** Whoever was refused so often gives up. */
const DECISIONS_MAX = 5;

/** What an operator would do, the likeliest most often. */
const WISHES = [
  'REFUND',
  'REFUND',
  'REFUND',
  'ACCEPT_DISPUTE',
  'RETRY',
  'RETRY',
  'PLACE',
  'PLACE',
  'SAY',
  'REFUNDED_OUTSIDE',
] as const;

const OPERATORS = ['ada', 'ada', 'noor'] as const;

/** Above it a word about money takes two people, in minor units. */
const ALONE_MAX_MINOR = 5_000;

/** How a reference is written by people who copy it. */
const WRITTEN: readonly ((reference: string) => string)[] = [
  (reference) => reference,
  (reference) => ` ${reference} `,
  (reference) => reference.toUpperCase(),
  (reference) => `${reference}\u200b`,
];

interface Held {
  readonly alert_id: string;
  readonly charge_reference: string | null;
  readonly dispute_id: string | null;
  readonly movement_id: string | null;
  /** Why a person is asked, as the page tells them. */
  readonly hold_reason: string | null;
}

/** One look at the list. */
export async function lookAtHeldCases(options: OperatorOptions): Promise<void> {
  const { db, clock, random, organisationId } = options;
  const held = await db
    .selectFrom('alert_case')
    .select(['alert_id', 'charge_reference', 'dispute_id', 'movement_id', 'hold_reason'])
    .where('organisation_id', '=', organisationId)
    .where('is_open', '=', true)
    .where('state', 'in', ['HUMAN', 'UNMATCHED', 'AMBIGUOUS', 'REFUNDING'])
    .orderBy('deadline_at')
    .orderBy('alert_id')
    .execute();
  for (const row of held) {
    const { alert_id: alertId } = row;
    const before = options.decided.get(alertId) ?? 0;
    if (before >= DECISIONS_MAX || random() < 0.5) continue;
    options.decided.set(alertId, before + 1);
    const wish = await wishAbout(options, row, wishOf(options));
    if (wish === undefined) continue;
    const { errs, ...said } = wish;
    const operator = oneOf(random, OPERATORS);
    const result = await applyOperatorDecision(db, {
      organisationId,
      alertId,
      note: '',
      operator,
      approvalAboveMinor: { USD: ALONE_MAX_MINOR },
      now: nowDate(clock),
      ...said,
    });
    if (said.action === 'REFUNDED_OUTSIDE')
      expectAgreed(options, alertId, { ...said, operator, ok: result.ok });
    if (result.ok && errs === true) {
      throw new Violation('I9', `money that counts already was taken for ${alertId}`, alertId);
    }
    if (result.ok) noteDone(options, row, said);
  }
}

type WishName = (typeof WISHES)[number] | 'NAMED_TWICE';

function wishOf({ random, errs }: OperatorOptions): WishName {
  return random() < errs ? 'NAMED_TWICE' : oneOf(random, WISHES);
}

type Said = Pick<OperatorDecision, 'action'> & Partial<OperatorDecision>;

/** `errs`: it is not true, and must be refused. */
type Wish = Said & { readonly errs?: boolean };

/** I9: what is said of money above the limit has an effect once two people have said the same, and not before. */
function expectAgreed(
  { truth }: OperatorOptions,
  alertId: string,
  said: Said & { readonly operator: string; readonly ok: boolean },
): void {
  const { reference, amountMinor = 0, operator, ok } = said;
  const what = `${alertId} ${reference} ${amountMinor}`;
  const people = (truth.saidOf.get(what) ?? new Set()).add(operator);
  truth.saidOf.set(what, people);
  if (!ok || amountMinor <= ALONE_MAX_MINOR || people.size > 1) return;
  const text = `${operator} alone said that ${amountMinor} went back for ${alertId}`;
  throw new Violation('I9', text, alertId);
}

async function wishAbout(
  options: OperatorOptions,
  row: Held,
  wish: WishName,
): Promise<Wish | undefined> {
  const { truth, random, sandbox } = options;
  const reference = truth.chargeOf.get(row.alert_id) ?? null;
  const claimed = sandbox.state.alerts.get(row.alert_id)?.transaction_amount_in_cents ?? 0;
  switch (wish) {
    case 'PLACE':
      return await placing(options, row);
    case 'SAY':
      return await statement(options, row);
    case 'REFUND':
      // Asked whether the complaint was accepted already, nobody says that it was another one.
      if (row.hold_reason === 'acceptance_unclear' && isAccepted(options, row)) return undefined;
      return {
        action: wish,
        ...(row.charge_reference === null && reference !== null
          ? { chargeReference: reference }
          : {}),
        ...(random() < 0.2 ? { amountMinor: Math.floor(claimed / 2) } : {}),
      };
    case 'REFUNDED_OUTSIDE':
      return { action: wish, reference: `cheque ${row.alert_id}`, amountMinor: claimed };
    case 'ACCEPT_DISPUTE':
      return accepting(options, row);
    case 'NAMED_TWICE':
      return await namedTwice(options, claimed);
    case 'RETRY':
      return { action: wish };
  }
}

/** Whether the same complaint was answered ACCEPT_DISPUTE, as it really is. */
function isAccepted({ truth, sandbox }: OperatorOptions, { alert_id: alertId }: Held): boolean {
  const dispute = truth.disputeOf.get(alertId);
  return sandbox.patchLog.some(
    (patch) =>
      patch.action === 'ACCEPT_DISPUTE' &&
      patch.http_status === 200 &&
      truth.disputeOf.get(patch.alert_id) === dispute,
  );
}

/** Told that it may be about a charge that was refunded, nobody says that it is about another one. */
function accepting(options: OperatorOptions, row: Held): Wish | undefined {
  if (row.hold_reason === 'candidate_refunded' && isRefunded(options, row)) return undefined;
  return {
    action: 'ACCEPT_DISPUTE',
    ...(options.random() < 0.3 ? { despiteMinor: 1_000_000 } : {}),
  };
}

/** Whether money went back on the charge that it is really about, or is on its way. */
function isRefunded({ truth, sandbox }: OperatorOptions, { alert_id: alertId }: Held): boolean {
  const charge = sandbox.state.charges.get(truth.chargeOf.get(alertId) ?? '');
  return charge !== undefined && standing(charge).length > 0;
}

/** A refund of ours, or a cheque, that our books count already: for whatever complaint it is named, it answers none. */
async function namedTwice(
  { db, organisationId, random }: OperatorOptions,
  amountMinor: number,
): Promise<Wish | undefined> {
  const counted = await db
    .selectFrom('movement')
    .select('processor_reference')
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'CONFIRMED')
    .where('processor_reference', 'is not', null)
    // What others refunded may be named for the complaint that it was for.
    .where((eb) =>
      eb.or([eb('idempotency_key', 'is not', null), eb('observed_from', 'like', 'operator:%')]),
    )
    .orderBy('id')
    .execute();
  if (counted.length === 0) return undefined;
  const reference = oneOf(random, counted).processor_reference ?? '';
  const written = oneOf(random, WRITTEN)(reference);
  return { action: 'REFUNDED_OUTSIDE', reference: written, amountMinor, errs: true };
}

/** Whether it is the same complaint as another alert's: as it really is. */
async function placing(options: OperatorOptions, row: Held): Promise<Wish | undefined> {
  const { db, truth, organisationId } = options;
  if (row.charge_reference === null) return undefined;
  const dispute = truth.disputeOf.get(row.alert_id);
  const placed = await db
    .selectFrom('alert_case')
    .select(['alert_id', 'dispute_id'])
    .where('organisation_id', '=', organisationId)
    .where('charge_reference', '=', row.charge_reference)
    .where('dispute_id', 'is not', null)
    .where('alert_id', '<>', row.alert_id)
    .orderBy('alert_id')
    .execute();
  const same = placed.find(({ alert_id: id }) => truth.disputeOf.get(id) === dispute);
  if (same?.dispute_id !== undefined && same.dispute_id !== null) {
    return { action: 'JOIN_DISPUTE', disputeId: same.dispute_id };
  }
  return placed.length > 0 ? { action: 'SEPARATE_DISPUTE' } : undefined;
}

/** What became of a request without an answer: as the processor's own books have it. */
async function statement(options: OperatorOptions, row: Held): Promise<Wish | undefined> {
  const { db, organisationId, sandbox } = options;
  const movement = await db
    .selectFrom('movement')
    .select(['idempotency_key', 'charge_reference'])
    .where('organisation_id', '=', organisationId)
    .where('id', '=', row.movement_id ?? '')
    .executeTakeFirst();
  const charge = sandbox.state.charges.get(movement?.charge_reference ?? '');
  if (movement === undefined || charge === undefined || charge.status === 'voided')
    return undefined;
  const found = standing(charge).find(
    (each) => each.idempotency_key === movement.idempotency_key && each.status === 'succeeded',
  );
  const action: OperatorAction = found === undefined ? 'DID_NOT_EXECUTE' : 'DID_EXECUTE';
  return { action, ...(found === undefined ? {} : { reference: found.reference }) };
}

function noteDone({ truth }: OperatorOptions, held: Held, wish: Said): void {
  const { action, despiteMinor, amountMinor = 0 } = wish;
  if (action === 'ACCEPT_DISPUTE' && despiteMinor !== undefined) truth.despite.add(held.alert_id);
  if (action === 'REFUNDED_OUTSIDE' && held.charge_reference !== null) {
    addMinor(truth.outsideMinor, held.charge_reference, amountMinor);
  }
}
