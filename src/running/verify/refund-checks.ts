/** Checks of refunds that the provider answers: once per key, never above the charge, found again. */
import type {
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from '../../service/wire/processor.ts';
import type { CheckOutcome, ConformanceCheck, ConformanceSubject } from './conformance-check.ts';
import {
  abilitiesOf,
  booksShow,
  checks,
  PART_MINOR,
  partOf,
  patience,
  unless,
} from './conformance-check.ts';
import { describe } from './reading-checks.ts';

/** Refunds, the plain case first. */
export const REFUND_CHECKS: readonly ConformanceCheck[] = checks({
  'refund.partial': [
    'A partial refund is confirmed or pending, and shows what was asked for.',
    checkPartial,
  ],
  'refund.remainder': [
    'After a refund the charge shows it, and that much less is left.',
    checkRemainder,
  ],
  'refund.whole': [
    'A charge can be refunded to the last minor unit, and then nothing is left.',
    checkWhole,
  ],
  'refund.same_key_once': [
    'A repeat of a key answers with the first refund and moves nothing.',
    checkSameKey,
  ],
  'refund.same_key_at_once': [
    'The same key sent twice at the same moment moves money once.',
    checkSameKeyAtOnce,
  ],
  'refund.same_key_other_amount': [
    'A key that was used is never a refund of another amount.',
    checkOtherAmount,
  ],
  'refund.two_keys': ['Two keys are two refunds, also of one amount on one charge.', checkTwoKeys],
  'refund.found_by_key': [
    'A refund is found by its key, where look-ups are offered.',
    checkFoundByKey,
  ],
  'refund.unused_key_not_found': ['A key that was never used finds nothing.', checkUnusedKey],
  'refund.above_remainder': [
    'More than what is left is not refunded, where the processor states that it refuses.',
    checkAboveRemainder,
  ],
  'refund.unknown_charge': [
    'A refund of a charge that does not exist is refused.',
    checkUnknownCharge,
  ],
  'refund.aborted': ['A call that is given up is unknown, and does not throw.', checkAborted],
});

/** The refund an outcome carries, or undefined. */
export function refundIn(outcome: RefundOutcome): ProcessorRefund | undefined {
  return outcome.kind === 'confirmed' || outcome.kind === 'pending' ? outcome.refund : undefined;
}

export function describeOutcome(outcome: RefundOutcome): string {
  switch (outcome.kind) {
    case 'rejected':
      return `rejected: ${outcome.failureCode}`;
    case 'unknown':
      return `unknown: ${outcome.reason}`;
    default:
      return outcome.kind;
  }
}

async function checkPartial(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const outcome = await processor.refund(request, patience());
  const refund = refundIn(outcome);
  if (refund === undefined) return [`answered ${describeOutcome(outcome)}`];
  return [...judgeShown(refund, request), ...(await booksShow(subject, charge, PART_MINOR))];
}

function judgeShown(refund: ProcessorRefund, request: RefundRequest): string[] {
  const { idempotencyKey, amountMinor, currency, chargeReference } = request;
  const key = refund.idempotencyKey;
  return [
    ...unless(refund.reference !== '', 'shows no reference'),
    ...unless(refund.amountMinor === amountMinor, `shows the amount ${refund.amountMinor}`),
    ...unless(refund.currency === currency, `shows the currency ${refund.currency}`),
    ...unless(refund.chargeReference === chargeReference, `shows ${refund.chargeReference}`),
    ...unless(key === null || key === idempotencyKey, `shows the key ${key}`),
  ];
}

async function checkRemainder(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const charge = await fixture.captured();
  const outcome = await processor.refund(partOf(charge, fixture), patience());
  const refund = refundIn(outcome);
  if (refund === undefined) return [`the refund was ${describeOutcome(outcome)}`];
  await fixture.settle?.();
  const answer = await processor.readCharge(charge.reference);
  if (answer.kind === 'not_offered') return { skipped: 'charges cannot be read' };
  if (answer.kind !== 'found') return [`answered ${describe(answer)}`];
  const { refundableMinor, refunds } = answer.value;
  const expectedMinor = charge.amountMinor - PART_MINOR;
  const isListed = refunds.some(({ reference }) => reference === refund.reference);
  return [
    ...unless(refundableMinor === expectedMinor, `shows a remainder of ${refundableMinor}`),
    ...unless(isListed || refunds.length === 0, 'lists refunds, but not this one'),
  ];
}

async function checkWhole(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const charge = await fixture.captured();
  const request = partOf(charge, fixture, charge.amountMinor);
  const outcome = await processor.refund(request, patience());
  if (refundIn(outcome) === undefined) return [`answered ${describeOutcome(outcome)}`];
  await fixture.settle?.();
  const answer = await processor.readCharge(charge.reference);
  const left = answer.kind === 'found' ? answer.value.refundableMinor : 0;
  return [
    ...unless(left === 0, `shows a remainder of ${left}`),
    ...(await booksShow(subject, charge, charge.amountMinor)),
  ];
}

async function checkSameKey(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { idempotencyTtlHours } = await abilitiesOf(subject);
  if (idempotencyTtlHours === 0) return { skipped: KEYS_DO_NOTHING };
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const first = await processor.refund(request, patience());
  const second = await processor.refund(request, patience());
  const reference = refundIn(first)?.reference;
  return [
    ...unless(reference !== undefined, `the first was ${describeOutcome(first)}`),
    ...unless(
      second.kind === 'unknown' || refundIn(second)?.reference === reference,
      `the repeat was ${describeOutcome(second)}`,
    ),
    ...(await booksShow(subject, charge, PART_MINOR)),
  ];
}

/** Why a check that repeats a key is left out. */
const KEYS_DO_NOTHING = 'the processor states that idempotency keys do nothing';

async function checkSameKeyAtOnce(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { idempotencyTtlHours } = await abilitiesOf(subject);
  if (idempotencyTtlHours === 0) return { skipped: KEYS_DO_NOTHING };
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const outcomes = await Promise.all([
    processor.refund(request, patience()),
    processor.refund(request, patience()),
  ]);
  const references = new Set(outcomes.flatMap((outcome) => refundIn(outcome)?.reference ?? []));
  const rejected = outcomes.filter(({ kind }) => kind === 'rejected');
  return [
    ...unless(references.size <= 1, 'two refunds were shown'),
    // Rejected means: nothing was executed under this key. One of the two was.
    ...unless(rejected.length === 0, 'one was called rejected while the other was executed'),
    ...(await booksShow(subject, charge, PART_MINOR)),
  ];
}

async function checkOtherAmount(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { idempotencyTtlHours } = await abilitiesOf(subject);
  if (idempotencyTtlHours === 0) return { skipped: KEYS_DO_NOTHING };
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  await processor.refund(request, patience());
  const other = { ...request, amountMinor: PART_MINOR * 2 };
  const outcome = await processor.refund(other, patience());
  const shownMinor = refundIn(outcome)?.amountMinor;
  return [
    ...unless(shownMinor !== other.amountMinor, 'the key was accepted for another amount'),
    ...(await booksShow(subject, charge, PART_MINOR)),
  ];
}

/** Two disputes of one charge may be about the same amount. A provider may refuse the second, never repeat the first. */
async function checkTwoKeys({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  const charge = await fixture.captured();
  const first = refundIn(await processor.refund(partOf(charge, fixture), patience()));
  const second = refundIn(await processor.refund(partOf(charge, fixture), patience()));
  const isRepeat = second !== undefined && second.reference === first?.reference;
  return unless(!isRepeat, `answered the second with the first, ${first?.reference}`);
}

async function checkFoundByKey(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { canLookupByReference } = await abilitiesOf(subject);
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const refund = refundIn(await processor.refund(request, patience()));
  await fixture.settle?.();
  const answer = await processor.findRefund(request);
  if (!canLookupByReference) {
    // Absence would be taken for proof that nothing was executed.
    return unless(answer.kind !== 'absent', 'states no look-up, yet answers absent');
  }
  if (answer.kind !== 'found') return [`answered ${describe(answer)}`];
  return unless(
    answer.value.reference === refund?.reference,
    `found ${answer.value.reference} instead of ${refund?.reference}`,
  );
}

async function checkUnusedKey({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  const charge = await fixture.captured();
  await processor.refund(partOf(charge, fixture), patience());
  const answer = await processor.findRefund(partOf(charge, fixture));
  return unless(answer.kind !== 'found', 'found a refund under a key that was never used');
}

async function checkAboveRemainder(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { refusesOverRefund } = await abilitiesOf(subject);
  if (!refusesOverRefund) return { skipped: 'the processor states that it does not refuse' };
  const charge = await fixture.captured();
  await processor.refund(partOf(charge, fixture), patience());
  await fixture.settle?.();
  const request = partOf(charge, fixture, charge.amountMinor);
  const outcome = await processor.refund(request, patience());
  await fixture.settle?.();
  const isConfirmed = outcome.kind === 'confirmed';
  return [
    ...unless(!isConfirmed, 'more than the remainder was confirmed'),
    ...(await booksShow(subject, charge, PART_MINOR)),
  ];
}

async function checkUnknownCharge(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { currency } = await fixture.captured();
  const nothing = { reference: fixture.absentReference, amountMinor: PART_MINOR, currency };
  const outcome = await processor.refund(partOf(nothing, fixture), patience());
  return unless(refundIn(outcome) === undefined, `answered ${describeOutcome(outcome)}`);
}

async function checkAborted(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const charge = await fixture.captured();
  const outcome = await processor.refund(partOf(charge, fixture), AbortSignal.abort());
  return unless(outcome.kind === 'unknown', `answered ${describeOutcome(outcome)}`);
}
