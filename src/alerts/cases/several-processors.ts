/** What is asked of several processors at once, and the one that is never asked. */
import type {
  Answer,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
} from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';

/** Why nothing is asked about a charge. */
export const SEVERAL_MERCHANTS =
  'the charge is named by alerts of merchants that have different processors';

/** A processor that is not asked: it answers nothing, and takes nothing. */
export function createUnreachable(name: string, reason: string): Processor {
  const unavailable = { kind: 'unavailable', reason } as const;
  return {
    name,
    capabilities: () => Promise.resolve(undefined),
    searchCharges: () => Promise.resolve(unavailable),
    readCharge: () => Promise.resolve(unavailable),
    findRefund: () => Promise.resolve(unavailable),
    refund: () =>
      Promise.resolve({
        kind: 'rejected',
        failureCode: 'another_processor',
        failureClass: 'final',
      }),
    voidCharge: () => Promise.resolve('rejected'),
    cancelSubscription: () => Promise.resolve('not_offered'),
  };
}

/** What holds whichever of them is asked; undefined: one of them did not answer. */
export async function cautiousOf(
  processors: readonly Processor[],
  signal?: AbortSignal,
): Promise<ProcessorCapabilities | undefined> {
  const answers = await Promise.all(processors.map((each) => each.capabilities(signal)));
  const known = answers.filter((answer) => answer !== undefined);
  if (known.length < answers.length) return undefined;
  const least = (read: (offered: ProcessorCapabilities) => number): number =>
    Math.min(...known.map(read));
  const most = (read: (offered: ProcessorCapabilities) => number): number =>
    Math.max(...known.map(read));
  return known.length === 0
    ? CAUTIOUS_CAPABILITIES
    : {
        idempotencyTtlHours: least((each) => each.idempotencyTtlHours),
        canLookupByReference: known.every((each) => each.canLookupByReference),
        lookupLagSeconds: most((each) => each.lookupLagSeconds),
        refusesOverRefund: known.every((each) => each.refusesOverRefund),
        asyncRefunds: known.some((each) => each.asyncRefunds),
        pendingCounts: known.every((each) => each.pendingCounts),
        requestLifetimeSeconds: most((each) => each.requestLifetimeSeconds),
      };
}

/** Asks all of them about a charge. If two know it, it belongs to neither: nothing may rest on either answer. */
export async function locateCharge(
  processors: readonly Processor[],
  reference: string,
  signal?: AbortSignal,
): Promise<{ readonly answer: Answer<ProcessorCharge>; readonly known: Processor | undefined }> {
  const answers = await Promise.all(
    processors.map(async (processor) => ({
      processor,
      answer: await processor.readCharge(reference, signal),
    })),
  );
  const found = answers.filter(({ answer }) => answer.kind === 'found');
  const [first, second] = found;
  if (second !== undefined) {
    const reason = 'several processors of the organisation know a charge of that name';
    return { answer: { kind: 'unavailable', reason }, known: undefined };
  }
  const silent = answers.find(({ answer }) => answer.kind === 'unavailable');
  if (first !== undefined && silent === undefined) {
    return { answer: first.answer, known: first.processor };
  }
  const absent = answers.find(({ answer }) => answer.kind === 'absent');
  return {
    answer: (silent ?? absent ?? answers[0])?.answer ?? { kind: 'absent' },
    known: undefined,
  };
}
