/** Checks of what happens during and after a refund: late failure, disputes, voids, subscriptions. */
import type { CheckOutcome, ConformanceCheck, ConformanceSubject } from './conformance-check.ts';
import { booksShow, checks, partOf, patience, unless } from './conformance-check.ts';
import { describe } from './reading-checks.ts';
import { describeOutcome, refundIn } from './refund-checks.ts';

/** Everything that is not a plain refund. */
export const UNDO_CHECKS: readonly ConformanceCheck[] = checks({
  'refund.settles': ['A pending refund is shown as succeeded once it has settled.', checkSettles],
  'refund.fails_later': [
    'A refund that fails afterwards is shown as failed, and its money is left again.',
    checkFailsLater,
  ],
  'charge.disputed': ['A dispute is shown on the charge.', checkDisputed],
  'void.authorised': ['An authorised charge is voided, or voiding is not offered.', checkVoid],
  'void.captured': [
    'A captured charge is never called voided, and voiding it refunds nothing.',
    checkVoidCaptured,
  ],
  'void.unknown_charge': ['A charge that does not exist is not called voided.', checkVoidUnknown],
  'subscription.cancel': ['A subscription is cancelled, and a repeat says the same.', checkCancel],
  'subscription.unknown': [
    'A subscription that does not exist is not called cancelled.',
    checkCancelUnknown,
  ],
});

async function checkSettles(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  if (fixture.settle === undefined) return { skipped: 'the fixture cannot let refunds settle' };
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const outcome = await processor.refund(request, patience());
  const refund = refundIn(outcome);
  if (refund === undefined) return [`answered ${describeOutcome(outcome)}`];
  await fixture.settle();
  const answer = await processor.readCharge(charge.reference);
  if (answer.kind !== 'found') return { skipped: 'charges cannot be read' };
  const shown = answer.value.refunds.find(({ reference }) => reference === refund.reference);
  return unless(shown?.status === 'succeeded', `shows the refund as ${shown?.status ?? 'missing'}`);
}

async function checkFailsLater(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  if (fixture.failRefund === undefined) return { skipped: 'the fixture cannot make refunds fail' };
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const outcome = await processor.refund(request, patience());
  const refund = refundIn(outcome);
  if (refund === undefined) return [`answered ${describeOutcome(outcome)}`];
  await fixture.failRefund(refund.reference);
  const answer = await processor.readCharge(charge.reference);
  if (answer.kind !== 'found') return { skipped: 'charges cannot be read' };
  const { refunds, refundableMinor } = answer.value;
  const shown = refunds.find(({ reference }) => reference === refund.reference);
  return [
    ...unless(shown?.status === 'failed', `shows the refund as ${shown?.status ?? 'missing'}`),
    ...unless(shown?.failureCode !== null, 'shows no failure code'),
    ...unless(refundableMinor === charge.amountMinor, `shows a remainder of ${refundableMinor}`),
  ];
}

async function checkDisputed({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  if (fixture.dispute === undefined) return { skipped: 'the fixture cannot open disputes' };
  const charge = await fixture.captured();
  await fixture.dispute(charge.reference);
  const answer = await processor.readCharge(charge.reference);
  if (answer.kind === 'not_offered') return { skipped: 'charges cannot be read' };
  if (answer.kind !== 'found') return [`answered ${describe(answer)}`];
  return unless(answer.value.disputed, 'shows no dispute');
}

async function checkVoid({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  if (fixture.authorised === undefined) return { skipped: 'the fixture makes no authorisations' };
  const { reference } = await fixture.authorised();
  const key = fixture.newKey();
  const first = await processor.voidCharge(reference, key, patience());
  if (first === 'not_offered') return { skipped: 'voiding is not offered' };
  await fixture.settle?.();
  const again = await processor.voidCharge(reference, key, patience());
  const answer = await processor.readCharge(reference);
  if (answer.kind === 'not_offered' && again === 'unknown') {
    return { skipped: 'voids are decided later, and charges cannot be read' };
  }
  const status = answer.kind === 'found' ? answer.value.status : answer.kind;
  return [
    // A provider that decides later answers unknown first.
    ...unless(first === 'voided' || first === 'unknown', `answered ${first}`),
    ...unless(again === 'voided', `the repeat was answered ${again}`),
    ...unless(status === 'voided', `the charge reads ${status}`),
  ];
}

async function checkVoidCaptured(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const charge = await fixture.captured();
  const answer = await processor.voidCharge(charge.reference, fixture.newKey(), patience());
  await fixture.settle?.();
  return [
    ...unless(answer !== 'voided', 'a captured charge was called voided'),
    ...(await booksShow(subject, charge, 0)),
  ];
}

async function checkVoidUnknown({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  const { absentReference } = fixture;
  const answer = await processor.voidCharge(absentReference, fixture.newKey(), patience());
  return unless(answer !== 'voided', `answered ${answer}`);
}

async function checkCancel({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  if (fixture.subscription === undefined) return { skipped: 'the fixture has no subscriptions' };
  const reference = await fixture.subscription();
  const key = fixture.newKey();
  const first = await processor.cancelSubscription(reference, key, patience());
  if (first === 'not_offered') return { skipped: 'cancelling is not offered' };
  const again = await processor.cancelSubscription(reference, key, patience());
  return [
    ...unless(first === 'cancelled', `answered ${first}`),
    ...unless(again === 'cancelled', `the repeat was answered ${again}`),
  ];
}

async function checkCancelUnknown(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { absentSubscription } = fixture;
  if (absentSubscription === undefined) return { skipped: 'the fixture has no subscriptions' };
  const key = fixture.newKey();
  const answer = await processor.cancelSubscription(absentSubscription, key, patience());
  return unless(answer !== 'cancelled', `answered ${answer}`);
}
