/**
 * The guard rails, asked in the transaction that sends a movement: the kill switch, the breakers, the
 * caps, and the second person.
 *
 * They hold whatever a policy or one person decided. The caps' lock makes the answer and the sending
 * one step, so that no interleaving of workers passes the last free place twice.
 */
import type { Trx } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { endOf } from '../cases/claim.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { isApproved } from './approval.store.ts';
import { updateBreaker } from './breaker.store.ts';
import type { Breakers } from './breakers.store.ts';
import { readBreakers } from './breakers.store.ts';
import type { ChargeStanding } from './caps.store.ts';
import { lockCapsFor, readSentTwice } from './caps.store.ts';
import type { Sent } from './caps.ts';
import { brokenCap } from './caps.ts';
import type { GuardLayer, OtherLayers } from './guard-layers.ts';
import { layersFor, nameOfScope } from './guard-layers.ts';
import type { AmountLimits, GuardSettings } from './guard-settings.ts';
import { findFlooded, readSentIn } from './layer-counts.store.ts';
import { mayProbe, noteProbe } from './processor-breaker.store.ts';
import { chargeAwaitsRecoveryCheck, identityKindOf } from './recovery-check.store.ts';

/** The movement that is about to be sent. */
export interface GuardedMovement {
  readonly organisationId: string;
  readonly id: string;
  readonly chargeReference: string;
  readonly kind: 'refund' | 'void';
  readonly amountMinor: number;
  readonly currency: string;
  /** Which key of the charge it carries. */
  readonly round: number;
  /** What else of ours went back on the charge in its currency, or may have. */
  readonly sentOnChargeMinor: number;
  /** What went back for the same complaint by Forestall or by a person's word, or may have, besides it. */
  readonly complaintMinor: number;
}

/** The case for which it is sent, and by which settings it is judged. */
export interface GuardedSending {
  readonly owner: CaseRow;
  /** Who took the decision in force; undefined: a policy, or its fallback. */
  readonly operator: string | undefined;
  readonly settings: GuardSettings;
  /** What holds besides them: the installation's layer, and those of merchants. */
  readonly layers?: OtherLayers | undefined;
  readonly standing: SendingStanding;
  readonly now: Date;
}

/** What the guards say. */
export interface GuardAnswer {
  /** Why it may not be sent now; undefined: it may. */
  readonly refusal: HoldReason | undefined;
  /** Whose guard it is that refuses, where it is not the organisation's. */
  readonly layer?: string;
  /** Whose refund it is, to be stored with the movement: the caps count by it. */
  readonly customer?: readonly string[];
}

/** What {@link lockForSending} found. */
export interface SendingStanding extends ChargeStanding {
  readonly breakers: Breakers;
  /** A recovery check is not finished: nothing may be sent. */
  readonly awaitsCheck: boolean;
}

/**
 * Takes the caps' lock, and reads what the guards ask about. The breakers are read in a statement of their
 * own: one that waits for a lock does not see what was written while it waited.
 */
export async function lockForSending(trx: Trx, charge: ChargeKey): Promise<SendingStanding> {
  const standing = await lockCapsFor(trx, charge);
  const kind = identityKindOf(standing.recovery);
  const breakers = await readBreakers(trx, charge.organisationId, kind);
  const awaitsCheck = chargeAwaitsRecoveryCheck(
    charge.chargeReference,
    standing.recovery,
    breakers.identity,
  );
  return { ...standing, breakers, awaitsCheck };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Asks the guards. Call it under the charge's lock and the caps', right before the movement becomes `SENT` for the
 * first time under its key; a repeat of a key was counted already.
 *
 * A void moves no money: only the kill switch and the breakers speak about it.
 */
export async function guardMovement(
  trx: Trx,
  movement: GuardedMovement,
  sending: GuardedSending,
): Promise<GuardAnswer> {
  const { now, standing } = sending;
  const breaker = standing.breakers.processor;
  if (standing.paused) return { refusal: 'paused' };
  if (!mayProbe(breaker, now)) return { refusal: 'processor_refuses_us' };
  const answer = await askLimits(trx, movement, sending);
  // What another guard stops must not take the turn of what would be sent.
  if (answer.refusal === undefined) {
    await noteProbe(trx, movement.organisationId, { breaker, now });
  }
  return answer;
}

/** The caps, the second person, and the breakers about how many are refunded by themselves. */
async function askLimits(
  trx: Trx,
  movement: GuardedMovement,
  sending: GuardedSending,
): Promise<GuardAnswer> {
  const { settings, now, owner, operator, standing } = sending;
  const { organisationId } = movement;
  const { customer, breakers } = standing;
  const layers = await layersOf(trx, sending);
  const counted = await countedRefusal(trx, { ...movement, customer }, { layers, now });
  if (counted.refusal !== undefined) return counted;
  const asking = layers.find((each) => needsApproval(movement, each.approvalAboveMinor));
  if (asking !== undefined) {
    const isAgreed = await isApproved(trx, termsOf(movement, { owner, operator, now }));
    // What two people agreed to is as little automatic as what one decided.
    return isAgreed ? counted : refusedBy(asking, 'approval_needed');
  }
  if (operator !== undefined) return counted;
  const flooded = await findFlooded(trx, layers, { organisationId, now });
  if (flooded !== undefined) return refusedBy(flooded, 'breaker_open');
  if (settings.breaker === null) return counted;
  const scope = { organisationId, settings: settings.breaker, now };
  const isOpen = await updateBreaker(trx, scope, breakers.refund);
  return isOpen ? { refusal: 'breaker_open' } : counted;
}

/** The layers that hold for the case, the outermost first. */
async function layersOf(
  trx: Trx,
  { settings, layers, owner }: GuardedSending,
): Promise<readonly GuardLayer[]> {
  const own: GuardLayer = {
    scope: { kind: 'organisation' },
    caps: settings.caps,
    approvalAboveMinor: settings.approvalAboveMinor,
  };
  if (layers === undefined) return [own];
  const about = { organisationId: owner.organisation_id, alertId: owner.alert_id };
  return await layersFor(trx, about, { own, layers });
}

function refusedBy({ scope }: GuardLayer, refusal: HoldReason): GuardAnswer {
  return scope.kind === 'organisation' ? { refusal } : { refusal, layer: nameOfScope(scope) };
}

/** The caps of all layers, and whose refund it is. */
async function countedRefusal(
  trx: Trx,
  movement: GuardedMovement & { readonly customer: readonly string[] },
  { layers, now }: { readonly layers: readonly GuardLayer[]; readonly now: Date },
): Promise<GuardAnswer> {
  if (movement.kind !== 'refund') return { refusal: undefined };
  for (const layer of layers) {
    const refusal = await brokenIn(trx, movement, { layer, now });
    if (refusal !== undefined) return refusedBy(layer, refusal);
  }
  return { refusal: undefined, customer: movement.customer };
}

async function brokenIn(
  trx: Trx,
  movement: GuardedMovement & { readonly customer: readonly string[] },
  { layer: { caps, scope }, now }: { readonly layer: CountingLayer; readonly now: Date },
): Promise<HoldReason | undefined> {
  const { organisationId, customer, amountMinor, currency, round, sentOnChargeMinor } = movement;
  const sentWithin = async (windowMs: number, identities?: readonly string[]): Promise<Sent> =>
    await readSentIn(trx, scope, {
      organisationId,
      since: new Date(now.getTime() - windowMs),
      identities,
    });
  const windows = async (): Promise<{ readonly hour: Sent; readonly day: Sent }> => {
    // Most have both, and their own alone: one statement counts for both.
    if (caps.hour !== undefined && caps.day !== undefined && scope.kind === 'organisation') {
      const since = new Date(now.getTime() - DAY_MS);
      const late = new Date(now.getTime() - HOUR_MS);
      const sent = await readSentTwice(trx, { organisationId, since, late });
      return { hour: sent.late, day: sent.all };
    }
    return {
      hour: caps.hour === undefined ? NOTHING_SENT : await sentWithin(HOUR_MS),
      day: caps.day === undefined ? NOTHING_SENT : await sentWithin(DAY_MS),
    };
  };
  return brokenCap(caps, {
    refund: { amountMinor, currency },
    charge: { count: round - 1, amountMinor: { [currency]: sentOnChargeMinor } },
    ...(await windows()),
    customer:
      caps.customer === undefined || customer.length === 0
        ? undefined
        : await sentWithin(caps.customer.days * DAY_MS, customer),
  });
}

type CountingLayer = Pick<GuardLayer, 'caps' | 'scope'>;

const NOTHING_SENT: Sent = { count: 0, amountMinor: {} };

/**
 * Whether it makes the sum of its complaint more than a single person, or the policy alone, may send back: a limit for single
 * movements could be split.
 */
export function needsApproval(
  {
    kind,
    currency,
    amountMinor,
    complaintMinor,
  }: Pick<GuardedMovement, 'kind' | 'amountMinor' | 'currency' | 'complaintMinor'>,
  limits: AmountLimits | undefined,
): boolean {
  if (limits === undefined || kind !== 'refund') return false;
  const limitMinor = limits[currency];
  // A currency that was not named: better two people too many than one too few.
  return limitMinor === undefined || complaintMinor + amountMinor > limitMinor;
}

function termsOf(
  movement: GuardedMovement,
  by: { readonly owner: CaseRow; readonly operator: string | undefined; readonly now: Date },
): Parameters<typeof isApproved>[1] {
  return {
    organisationId: movement.organisationId,
    alertId: by.owner.alert_id,
    kind: 'REFUND',
    movementId: movement.id,
    chargeReference: movement.chargeReference,
    amountMinor: movement.amountMinor,
    currency: movement.currency,
    endsAt: endOf(by.owner),
    operator: by.operator,
    now: by.now,
  };
}
