/**
 * Notes how the processor answers: calls in a row that had no usable answer, as a fact, until it answers again.
 * Health reads it, so that people know that the processor is away before an alert has run out.
 *
 * While all is well nothing is written.
 */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import { deleteNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { Answer, Processor, RefundOutcome } from '../../service/wire/processor.ts';

/** Names of the facts: what fails. Questions may be answered while refunds are not. */
export const PROCESSOR_TROUBLES = {
  asking: 'processor_gives_no_answer',
  sending: 'processor_takes_no_refund',
} as const;
export type ProcessorUse = keyof typeof PROCESSOR_TROUBLES;

const troubleSchema = z.object({
  inRow: z.number(),
  since: z.iso.datetime(),
  at: z.iso.datetime(),
  reason: z.string(),
  processor: z.string(),
});

/** Calls in a row without a usable answer. */
export type ProcessorTrouble = z.infer<typeof troubleSchema>;

/** The fact's value, read. */
export function processorTroubleOf(value: unknown): ProcessorTrouble | undefined {
  return troubleSchema.safeParse(value).data;
}

/** Longest reason kept, in characters. */
const REASON_LENGTH_MAX = 120;

/** No charge has this reference: asking about it tells whether the processor answers. */
const NO_CHARGE = 'forestall-health-no-charge';

/** How often a processor that gave no answer is asked whether it is back, in milliseconds, and for how long. */
export const ASK_AGAIN_MS = 15_000;
const ASK_MS_MAX = 10_000;

export interface ProcessorWatchOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly organisationId: string;
}

export interface ProcessorWatch {
  /** The same processor, and what becomes of its calls is noted. The same one is always wrapped the same. */
  watched(processor: Processor): Processor;
  /** Asks those that gave no answer whether they are back; says nothing where none is away. */
  askAgain(): Promise<number>;
}

export function createProcessorWatch(options: ProcessorWatchOptions): ProcessorWatch {
  const known = new Map<Processor, Processor>();
  const standing = new Map<string, ProcessorTrouble>();
  /** What an earlier process noted is taken back by the first answer to this one. */
  const cleared = new Set<ProcessorUse>();
  const away = new Set<Processor>();
  const failed = async (use: ProcessorUse, name: string, reason: string): Promise<void> => {
    const at = nowDate(options.clock);
    const before = standing.get(use);
    const trouble: ProcessorTrouble = {
      inRow: (before?.inRow ?? 0) + 1,
      since: before?.since ?? at.toISOString(),
      at: at.toISOString(),
      reason: reason.slice(0, REASON_LENGTH_MAX),
      processor: name,
    };
    standing.set(use, trouble);
    const { organisationId } = options;
    await quietly(options, () =>
      writeNamedValue(options.db, {
        organisationId,
        name: PROCESSOR_TROUBLES[use],
        value: trouble,
        at,
      }),
    );
  };
  const answered = async (use: ProcessorUse): Promise<void> => {
    if (!standing.has(use) && cleared.has(use)) return;
    standing.delete(use);
    cleared.add(use);
    await quietly(options, () =>
      deleteNamedValue(options.db, options.organisationId, PROCESSOR_TROUBLES[use]),
    );
  };
  const note: Note = async (processor, use, reason): Promise<void> => {
    if (reason === undefined) {
      if (use === 'asking') away.delete(processor);
      await answered(use);
      // Who takes refunds is there.
      if (use === 'sending') await answered('asking');
      return;
    }
    if (use === 'asking') away.add(processor);
    await failed(use, processor.name, reason);
  };
  const watch: ProcessorWatch = {
    watched(processor): Processor {
      const found = known.get(processor);
      if (found !== undefined) return found;
      const wrapped = processor.name === 'none' ? processor : wrap(processor, note);
      known.set(processor, wrapped);
      return wrapped;
    },
    async askAgain(): Promise<number> {
      for (const processor of away) {
        const signal = AbortSignal.timeout(ASK_MS_MAX);
        await watch.watched(processor).readCharge(NO_CHARGE, signal);
      }
      return 0;
    },
  };
  return watch;
}

type Note = (processor: Processor, use: ProcessorUse, reason: string | undefined) => Promise<void>;

function wrap(processor: Processor, note: Note): Processor {
  const asked = async <Value>(answer: Answer<Value>): Promise<Answer<Value>> => {
    // What is not offered was not asked.
    if (answer.kind === 'not_offered') return answer;
    await note(processor, 'asking', answer.kind === 'unavailable' ? answer.reason : undefined);
    return answer;
  };
  return {
    name: processor.name,
    ...(processor.events === undefined ? {} : { events: processor.events }),
    ...(processor.disputes === undefined ? {} : { disputes: processor.disputes }),
    capabilities: (signal) => processor.capabilities(signal),
    searchCharges: async (query, signal) => asked(await processor.searchCharges(query, signal)),
    readCharge: async (reference, signal) => asked(await processor.readCharge(reference, signal)),
    findRefund: async (request, signal) => asked(await processor.findRefund(request, signal)),
    voidCharge: (...given) => processor.voidCharge(...given),
    cancelSubscription: (...given) => processor.cancelSubscription(...given),
    async refund(request, signal): Promise<RefundOutcome> {
      const outcome = await processor.refund(request, signal);
      if (outcome.kind === 'unknown') await note(processor, 'sending', outcome.reason);
      else if (outcome.kind === 'rejected' && outcome.failureClass === 'ours') {
        await note(processor, 'sending', outcome.failureCode);
      } else await note(processor, 'sending', undefined);
      return outcome;
    },
  };
}

/** What became of a call is told, whatever becomes of the note. */
async function quietly(
  { log }: ProcessorWatchOptions,
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    log.warn({ err: error }, 'how the processor answers could not be noted');
  }
}
