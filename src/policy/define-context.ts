/**
 * What runs first in the context of a policy in TypeScript: takes away the clock, chance and whatever
 * could wait or remember, freezes the rest, and leaves one function to be called.
 *
 * It is text, because it must be evaluated there and not here.
 */
export const SEALED_CONTEXT = `(function (decide, data) {
  'use strict';
  const refuse = (what) => () => {
    throw new TypeError(what + ' is not there: a policy gives the same answer for the same facts');
  };
  const RealDate = Date;
  const SafeDate = new Proxy(RealDate, {
    apply: refuse('Date()'),
    construct: (target, given) =>
      given.length === 0 ? refuse('new Date()')() : Reflect.construct(target, given),
  });
  RealDate.now = refuse('Date.now');
  Object.defineProperty(RealDate.prototype, 'constructor', { value: SafeDate });
  globalThis.Date = SafeDate;
  Math.random = refuse('Math.random');
  for (const name of ['Promise', 'Intl', 'WebAssembly', 'Atomics', 'SharedArrayBuffer', 'WeakRef',
    'FinalizationRegistry', 'console', 'Temporal']) delete globalThis[name];
  const { parse, stringify } = JSON;
  globalThis.decideSealed = (facts) => stringify(decide(parse(facts), parse(data)));
  const seen = new Set();
  const freeze = (value) => {
    if (value === null || !['object', 'function'].includes(typeof value) || seen.has(value)) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      const held = Reflect.getOwnPropertyDescriptor(value, key);
      for (const part of [held.value, held.get, held.set]) freeze(part);
    }
    freeze(Reflect.getPrototypeOf(value));
    Object.freeze(value);
  };
  // Reachable from syntax alone, and from nothing that has a name.
  for (const value of [function* () {}, async () => {}, async function* () {}, [][Symbol.iterator](),
    ''[Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), /x/g,
    'x'.matchAll(/x/g), RealDate]) freeze(value);
  freeze(decide);
  freeze(globalThis);
})`;
