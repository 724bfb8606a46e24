/**
 * Checks of refunds whose answer is lost or worthless: whatever the provider did, the outcome is
 * `unknown`, and look-up and repeat find out without paying twice.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { ConformanceFault, FaultKind } from '../testing/conformance-fault.ts';
import { FAULT_KINDS } from '../testing/conformance-fault.ts';
import type { CheckOutcome, ConformanceCheck, ConformanceSubject } from './conformance-check.ts';
import {
  abilitiesOf,
  booksShow,
  PART_MINOR,
  partOf,
  patience,
  unless,
} from './conformance-check.ts';
import { describe } from './reading-checks.ts';
import { describeOutcome, refundIn } from './refund-checks.ts';

const NAMES: Readonly<Record<FaultKind, string>> = {
  http_401: 'HTTP 401',
  http_403: 'HTTP 403',
  http_408: 'HTTP 408',
  http_409: 'HTTP 409',
  http_429: 'HTTP 429',
  http_500: 'HTTP 500',
  http_503: 'HTTP 503',
  html: 'A page instead of an answer',
  truncated: 'Half an answer',
  empty: 'An empty answer',
  connection_lost: 'A lost connection',
  no_answer: 'No answer in time',
};

/** One check per fault, before and after execution, and one for the reads. */
export const FAULT_CHECKS: readonly ConformanceCheck[] = [
  ...FAULT_KINDS.flatMap((kind) => [refundCheck(kind, false), refundCheck(kind, true)]),
  ...FAULT_KINDS.map(readCheck),
  {
    name: 'capabilities.unanswered',
    guarantee: 'Abilities that could not be asked for are unanswered, not other ones.',
    run: checkUnanswered,
  },
];

function refundCheck(kind: FaultKind, executes: boolean): ConformanceCheck {
  const when = executes ? 'after' : 'before';
  return {
    name: `fault.${kind}_${when}_refund`,
    guarantee: `${NAMES[kind]} ${when} the refund executes: unknown, and refunded once in the end.`,
    run: (subject) => checkRefund(subject, { kind, executes, on: 'refund' }),
  };
}

function readCheck(kind: FaultKind): ConformanceCheck {
  return {
    name: `fault.${kind}_while_reading`,
    guarantee: `${NAMES[kind]} while reading is never taken for absence, and does not throw.`,
    run: (subject) => checkReads(subject, { kind, executes: false, on: 'reading' }),
  };
}

/** How long a call waits that will not be answered, in milliseconds. */
const GIVE_UP_MS = 500;

function signalFor({ kind }: ConformanceFault): AbortSignal {
  return kind === 'no_answer' ? AbortSignal.timeout(GIVE_UP_MS) : patience();
}

async function checkRefund(
  subject: ConformanceSubject,
  fault: ConformanceFault,
): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { withFault } = fixture;
  if (withFault === undefined || fixture.offersFault?.(fault) !== true) {
    return { skipped: 'the fixture cannot make this fault' };
  }
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const outcome = await withFault(fault, () => processor.refund(request, signalFor(fault)));
  const problems = unless(outcome.kind === 'unknown', `answered ${describeOutcome(outcome)}`);
  await fixture.settle?.();
  const expectedMinor = fault.executes ? PART_MINOR : 0;
  problems.push(...(await booksShow(subject, charge, expectedMinor)));
  problems.push(...(await judgeLookup(subject, { request, fault })));
  const { idempotencyTtlHours } = await abilitiesOf(subject);
  if (idempotencyTtlHours === 0) return problems;
  const again = await processor.refund(request, patience());
  await fixture.settle?.();
  return [
    ...problems,
    ...unless(refundIn(again) !== undefined, `the repeat was ${describeOutcome(again)}`),
    ...(await booksShow(subject, charge, PART_MINOR)),
  ];
}

/** An outage must not read as "offers nothing": a look-up that exists would be taken for none. */
async function checkUnanswered(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { withFault, offersFault } = subject.fixture;
  const faults = FAULT_KINDS.map((kind) => ({ kind, executes: false, on: 'reading' }) as const);
  const offered = faults.filter((fault) => offersFault?.(fault) === true);
  if (withFault === undefined || offered.length === 0) {
    return { skipped: 'the fixture cannot make a fault while reading' };
  }
  const stated = await abilitiesOf(subject);
  if (isDeepStrictEqual(stated, CAUTIOUS_CAPABILITIES)) {
    return { skipped: 'the processor states the most cautious values' };
  }
  const problems: string[] = [];
  for (const fault of offered) {
    const processor = subject.fresh?.() ?? subject.processor;
    const answer = await withFault(fault, () => processor.capabilities(signalFor(fault)));
    const isSame = answer === undefined || isDeepStrictEqual(answer, stated);
    problems.push(...unless(isSame, `${NAMES[fault.kind]}: states other abilities`));
  }
  return problems;
}

async function judgeLookup(
  subject: ConformanceSubject,
  asked: { readonly request: ReturnType<typeof partOf>; readonly fault: ConformanceFault },
): Promise<string[]> {
  const { canLookupByReference } = await abilitiesOf(subject);
  const answer = await subject.processor.findRefund(asked.request);
  if (!canLookupByReference) {
    return unless(answer.kind !== 'absent', 'states no look-up, yet answers absent');
  }
  const expected = asked.fault.executes ? 'found' : 'absent';
  return unless(answer.kind === expected, `the look-up answered ${describe(answer)}`);
}

async function checkReads(
  { processor, fixture }: ConformanceSubject,
  fault: ConformanceFault,
): Promise<CheckOutcome> {
  const { withFault } = fixture;
  if (withFault === undefined || fixture.offersFault?.(fault) !== true) {
    return { skipped: 'the fixture cannot make this fault' };
  }
  const charge = await fixture.captured();
  const request = partOf(charge, fixture);
  const { reference } = charge;
  const reads: Readonly<Record<string, () => Promise<Answer<unknown>>>> = {
    readCharge: () => processor.readCharge(reference, signalFor(fault)),
    searchCharges: () => processor.searchCharges({ reference }, signalFor(fault)),
    findRefund: () => processor.findRefund(request, signalFor(fault)),
  };
  const problems: string[] = [];
  for (const [name, read] of Object.entries(reads)) {
    const answer = await withFault(fault, read);
    const isEmpty = answer.kind === 'found' && Array.isArray(answer.value) && !answer.value.length;
    problems.push(
      ...unless(answer.kind !== 'absent' && !isEmpty, `${name} answered ${describe(answer)}`),
    );
  }
  return problems;
}
