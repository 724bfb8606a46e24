/** What the library's callers write is refused like what people write in the console, where it holds a full card number. */
import { cardRefusal, fieldWithCard } from '../../base/kernel/card-number.ts';
import { ConfigError } from '../../base/kernel/errors.ts';

/**
 * The same functions, which look at their arguments first. All of them answer with promises.
 *
 * @throws {ConfigError} through the promise, naming the field and never the number
 */
export function refusingCards<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        const field = args.map((arg) => fieldWithCard(arg)).find((found) => found !== undefined);
        if (field !== undefined) return Promise.reject(new ConfigError(cardRefusal(field)));
        return Reflect.apply(value, target, args);
      };
    },
  });
}
