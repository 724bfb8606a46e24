/**
 * A processor of whose answers nothing goes on that must not be kept or shown: no full card number (an adapter that shows
 * the whole number for the first six digits), and in its own words (reasons, codes of failures, what it throws) no e-mail
 * address and no secret either. Names under which money is booked stay.
 */
import { withoutCards } from '../../base/kernel/card-number.ts';
import { codeOf } from '../../base/kernel/errors.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { toldWords } from '../../base/kernel/told-words.ts';
import type { Processor } from '../../service/wire/processor.ts';

const known = new WeakMap<Processor, Processor>();

/** The same processor; what it can do besides its port stays what it is. The same one is always wrapped the same. */
export function maskingProcessor(processor: Processor): Processor {
  const before = known.get(processor);
  if (before !== undefined) return before;
  const masking = maskingAnswers(processor);
  known.set(processor, masking);
  known.set(masking, masking);
  return masking;
}

/** Of a processor, and of its disputes. */
function maskingAnswers<Some extends object>(answering: Some): Some {
  return new Proxy(answering, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (name === 'disputes' && isRecord(value)) return maskingAnswers(value);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        try {
          return masked(Reflect.apply(value, target, args));
        } catch (error) {
          throw maskedError(error);
        }
      };
    },
  });
}

function masked(answer: unknown): unknown {
  if (!(answer instanceof Promise)) return answer;
  return answer.then(
    (said: unknown) =>
      withoutWords(typeof said === 'string' ? toldWords(said) : withoutCards(said)),
    (error: unknown) => {
      throw maskedError(error);
    },
  );
}

/** Fields in which a processor speaks in its own words. */
const IN_WORDS: ReadonlySet<string> = new Set(['reason', 'failureCode']);

/** What holds nothing to mask is returned as it is. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parts = value.map(withoutWords);
    return parts.some((part, index) => part !== value[index]) ? parts : value;
  }
  if (!isRecord(value)) return value;
  const changed = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const left =
      typeof part === 'string' && IN_WORDS.has(name) ? toldWords(part) : withoutWords(part);
    return left === part ? [] : [[name, left]];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/** What was thrown, by its name, its code and its words: anything attached to it may hold what was sent. */
function maskedError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(toldWords(String(error)));
  const masked = new Error(toldWords(error.message));
  masked.name = error.name;
  const code = codeOf(error);
  return code === undefined ? masked : Object.assign(masked, { code: toldWords(code) });
}
