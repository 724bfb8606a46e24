/**
 * A processor of whose answers no full card number goes on: an adapter that shows the whole number for the first six
 * digits, a reason in the provider's own words. Names under which money is booked stay.
 */
import { maskCardNumbers, withoutCards } from '../../base/kernel/card-number.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { Processor } from '../../service/wire/processor.ts';

/** The same processor; what it can beside its port stays what it is. */
export function maskingProcessor<Some extends Processor>(processor: Some): Some {
  return maskingAnswers(processor);
}

function maskingAnswers<Some extends object>(answering: Some): Some {
  return new Proxy(answering, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (name === 'disputes' && isRecord(value)) return maskingAnswers(value);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => masked(Reflect.apply(value, target, args));
    },
  });
}

function masked(answer: unknown): unknown {
  if (!(answer instanceof Promise)) return answer;
  return answer.then((said: unknown) =>
    typeof said === 'string' ? maskCardNumbers(said) : withoutCards(said),
  );
}
