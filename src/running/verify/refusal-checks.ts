/**
 * Checks of what a refusal says: that it is one, and what follows from it. A wrong class costs money
 * either way: `final` concedes what could have been refunded, `done` looks for a refund that never was.
 */
import type { FailureClass, RefundRequest } from '../../service/wire/processor.ts';
import type { CheckOutcome, ConformanceCheck, ConformanceSubject } from './conformance-check.ts';
import { abilitiesOf, checks, PART_MINOR, partOf, patience, unless } from './conformance-check.ts';
import { describeOutcome, refundIn } from './refund-checks.ts';

/** Refusals by their class. `retry` always fits: it is what a word without a class means. */
export const REFUSAL_CHECKS: readonly ConformanceCheck[] = checks({
  'refusal.refunded_before': [
    'What went back already is refused as done, or as retry; never as final or ours.',
    checkRefundedBefore,
  ],
  'refusal.unknown_charge': [
    'A charge that does not exist is refused as ours, or as retry; never as final or done.',
    checkUnknownCharge,
  ],
  'refusal.disputed': [
    'A refund refused because of a dispute is final, or retry; never ours or done.',
    checkDisputed,
  ],
});

async function checkRefundedBefore(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { refusesOverRefund } = await abilitiesOf(subject);
  if (!refusesOverRefund) return { skipped: 'the processor states that it does not refuse' };
  const charge = await fixture.captured();
  const whole = await processor.refund(partOf(charge, fixture, charge.amountMinor), patience());
  if (refundIn(whole) === undefined) return [`the refund was ${describeOutcome(whole)}`];
  await fixture.settle?.();
  return await judge(subject, partOf(charge, fixture), ['done', 'retry']);
}

async function checkUnknownCharge(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { fixture } = subject;
  const { currency } = await fixture.captured();
  const nothing = { reference: fixture.absentReference, amountMinor: PART_MINOR, currency };
  return await judge(subject, partOf(nothing, fixture), ['ours', 'retry']);
}

async function checkDisputed(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { fixture } = subject;
  if (fixture.dispute === undefined) return { skipped: 'the fixture cannot open disputes' };
  const charge = await fixture.captured();
  await fixture.dispute(charge.reference);
  return await judge(subject, partOf(charge, fixture), ['final', 'retry']);
}

/** Sends a refund that is to be refused: at once, or after it was accepted. */
async function judge(
  { processor, fixture }: ConformanceSubject,
  request: RefundRequest,
  fitting: readonly FailureClass[],
): Promise<CheckOutcome> {
  const outcome = await processor.refund(request, patience());
  switch (outcome.kind) {
    case 'rejected':
      return judgeClass(outcome.failureClass, fitting);
    case 'unknown':
      return [`a refusal was answered ${describeOutcome(outcome)}`];
    default: {
      await fixture.settle?.();
      const charge = await processor.readCharge(request.chargeReference);
      const refunds = charge.kind === 'found' ? charge.value.refunds : [];
      const shown = refunds.find(({ reference }) => reference === outcome.refund.reference);
      return shown?.status === 'failed'
        ? judgeClass(shown.failureClass ?? 'retry', fitting)
        : { skipped: 'the processor does not refuse this, or not visibly' };
    }
  }
}

function judgeClass(failureClass: FailureClass, fitting: readonly FailureClass[]): string[] {
  return unless(fitting.includes(failureClass), `it was refused as ${failureClass}`);
}
