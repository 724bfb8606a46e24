/**
 * What a refund does by itself when its moment has come: send what was only intended, ask about what
 * is unanswered, watch what may still fail. Each function is given a row that this worker holds.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { nowDate } from '../kernel/clock.ts';
import { LEASE_MS } from '../kernel/limits.ts';
import type { ChargeVerdict } from './assess-charge.ts';
import { guardAtMs } from './examine.ts';
import type { Sponsorship } from './find-sponsor.ts';
import { findSponsor } from './find-sponsor.ts';
import { lookUp } from './look-up.ts';
import { CAUTIOUS_CAPABILITIES } from './processor.ts';
import type { RefundRow } from './refund.store.ts';
import { lockCharge, moveRefund } from './refund.store.ts';
import { casesOfRefund } from './refund-cases.store.ts';
import { bookOurs } from './reserve-refund.ts';
import { nextTryMs } from './retry-ladder.ts';
import type { SagaDeps } from './saga-deps.ts';
import { rejectionOf, sendRefund } from './send-refund.ts';
import type { ExternalRefund, Settlement } from './settle-refund.ts';
import { bookExternal, settleRefund } from './settle-refund.ts';
import type { UnansweredRefund } from './unknown-rule.ts';
import { nextLookMs, provenAtMs, ruleUnknown } from './unknown-rule.ts';

/**
 * Longest wait of an intent that cannot be examined, in milliseconds: nothing was sent yet, so another
 * try asks two questions and risks no money.
 */
const INTENT_WAIT_MAX_MS = 5 * 60_000;

/** Plans the next look at a refund that stays as it is, and releases it. */
export async function replanRefund(
  deps: SagaDeps,
  held: RefundRow,
  plan: { readonly nextActionAt: Date | null; readonly counts: boolean },
): Promise<void> {
  await inTransaction(deps.db, (trx) =>
    moveRefund(trx, held, {
      to: held.state,
      now: nowDate(deps.clock),
      nextActionAt: plan.nextActionAt,
      what: 'looked at',
      set: { attempts: held.attempts + (plan.counts ? 1 : 0) },
    }),
  );
}

/** `INTENT`: the worker that reserved the charge did not send. Examine anew, then send or give up. */
export async function resumeIntent(
  deps: SagaDeps,
  held: RefundRow,
  signal: AbortSignal,
): Promise<void> {
  const found = await findSponsor(deps, held, signal);
  switch (found.kind) {
    case 'send':
      return await sendRefund(deps, held, { ...found.sponsor, provenAbsent: true, signal });
    case 'later': {
      const nextMs = nextTryMs(held.attempts, {
        nowMs: deps.clock.nowMs(),
        random: Math.random(),
        momentsMs: [await latestGuardMs(deps, held)],
        maxMs: INTENT_WAIT_MAX_MS,
      });
      return await replanRefund(deps, held, { nextActionAt: new Date(nextMs), counts: true });
    }
    case 'stands':
      return await bookStanding(deps, held, found);
    case 'none':
      return await cancelUnsent(deps, held, found.failureCode);
  }
}

async function cancelUnsent(deps: SagaDeps, held: RefundRow, failureCode: string): Promise<void> {
  await underChargeLock(deps, held, async (trx) => {
    await moveRefund(trx, held, {
      to: 'REJECTED',
      now: nowDate(deps.clock),
      nextActionAt: null,
      what: 'not sent',
      detail: { reason: failureCode },
      set: { failure_code: failureCode },
    });
  });
}

/** The processor shows an `INTENT` as done already, by us or by somebody else. */
async function bookStanding(
  deps: SagaDeps,
  held: RefundRow,
  { verdict }: Extract<Sponsorship, { kind: 'stands' }>,
): Promise<void> {
  const capabilities = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  await underChargeLock(deps, held, async (trx) => {
    const now = nowDate(deps.clock);
    const lease = { owner: deps.workerId, until: new Date(now.getTime() + LEASE_MS) };
    if (verdict.kind === 'ours') {
      await bookOurs(trx, held, { refund: verdict.refund, now, lease, capabilities });
      return;
    }
    await bookExternal(trx, held, { ...externalOf(verdict), now });
  });
}

async function underChargeLock(
  deps: SagaDeps,
  { organisation_id: organisationId, charge_reference: chargeReference }: RefundRow,
  work: (trx: Transaction<Database>) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.db, async (trx) => {
    await lockCharge(trx, { organisationId, chargeReference });
    await work(trx);
  });
}

/** `UNKNOWN`: ask the processor, and do what the rule says. */
export async function resolveUnknown(
  deps: SagaDeps,
  held: RefundRow,
  signal: AbortSignal,
): Promise<void> {
  const answer = await lookUp(deps, held, signal);
  const capabilities = (await deps.processor.capabilities(signal)) ?? CAUTIOUS_CAPABILITIES;
  const subject = await unansweredOf(deps, held);
  const nowMs = deps.clock.nowMs();
  const ruling = ruleUnknown(subject, answer, { capabilities, nowMs, random: Math.random() });
  switch (ruling.kind) {
    case 'settle':
      return void (await settleRefund(deps, held, ruling));
    case 'rejected':
      return await settleRejected(deps, held, ruling.failureCode);
    case 'human':
      return void (await settleRefund(deps, held, { to: 'HUMAN', reason: ruling.reason }));
    case 'wait':
      return await replanRefund(deps, held, {
        nextActionAt: new Date(ruling.untilMs),
        counts: true,
      });
    case 'resend': {
      const provenAbsent =
        answer.kind === 'absent' && nowMs > provenAtMs(subject.sentAtMs, capabilities);
      return await sendAgain(deps, held, { provenAbsent, signal });
    }
  }
}

/** After this moment no waiting alert allows money any more; null: none waits. */
async function latestGuardMs(deps: SagaDeps, held: RefundRow): Promise<number | null> {
  const waiting = await casesOfRefund(deps.db, held, ['REFUNDING']);
  const deadlines = waiting.map(({ deadline_at }) => deadline_at.getTime());
  return deadlines.length === 0 ? null : guardAtMs(Math.max(...deadlines), deps.settings.guardMs);
}

async function unansweredOf(deps: SagaDeps, held: RefundRow): Promise<UnansweredRefund> {
  const firstSentAtMs = held.first_sent_at?.getTime() ?? held.created_at.getTime();
  return {
    amountMinor: held.amount_minor,
    currency: held.currency,
    firstSentAtMs,
    sentAtMs: held.sent_at?.getTime() ?? firstSentAtMs,
    tries: held.attempts + 1,
    guardAtMs: await latestGuardMs(deps, held),
  };
}

/** A refusal found by look-up, checked like one that was answered. */
export async function settleRejected(
  deps: SagaDeps,
  held: RefundRow,
  failureCode: string,
): Promise<void> {
  const settlement = await rejectionOf(deps, held, { failureCode, alertMinor: held.amount_minor });
  // Not checkable now: the row stays, and the next look-up asks again.
  if (settlement.to === 'UNKNOWN') {
    return await lookLater(deps, held);
  }
  await settleRefund(deps, held, settlement);
}

/** Up the ladder, and no later than a moment at which the ruling changes. */
async function lookLater(deps: SagaDeps, held: RefundRow): Promise<void> {
  const nextMs = nextLookMs(await unansweredOf(deps, held), {
    capabilities: (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES,
    nowMs: deps.clock.nowMs(),
    random: Math.random(),
  });
  await replanRefund(deps, held, { nextActionAt: new Date(nextMs), counts: true });
}

/** The request did not execute, or its key still protects a repeat: everything is examined anew. */
async function sendAgain(
  deps: SagaDeps,
  held: RefundRow,
  how: { readonly provenAbsent: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { provenAbsent, signal } = how;
  const found = await findSponsor(deps, held, signal);
  if (found.kind === 'send') {
    return await sendRefund(deps, held, { ...found.sponsor, provenAbsent, signal });
  }
  if (found.kind === 'later') {
    return await lookLater(deps, held);
  }
  await settleRefund(deps, held, withoutSending(found, provenAbsent));
}

function withoutSending(
  found: Extract<Sponsorship, { kind: 'stands' | 'none' }>,
  provenAbsent: boolean,
): Settlement {
  if (found.kind === 'none') {
    return provenAbsent
      ? { to: 'REJECTED', failureCode: found.failureCode }
      : { to: 'HUMAN', reason: found.failureCode };
  }
  const { verdict } = found;
  if (verdict.kind === 'ours') {
    const to = verdict.refund.status === 'pending' ? 'PENDING' : 'CONFIRMED';
    return { to, refund: verdict.refund };
  }
  return {
    to: 'REJECTED',
    failureCode: 'refunded_by_somebody_else',
    external: externalOf(verdict),
  };
}

function externalOf(
  verdict: Extract<ChargeVerdict, { kind: 'external' | 'voided' }>,
): ExternalRefund {
  const { reference } = verdict;
  if (verdict.kind === 'voided') return { reference, settledMinor: 0 };
  const { externalMinor: settledMinor, capturedMinor } = verdict;
  return { reference, settledMinor, capturedMinor };
}
