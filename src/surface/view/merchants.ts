/** Merchants by name, where one is known, else by their code. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

/** Names of merchants, by id. One that several of them bear is none. */
export type MerchantNames = ReadonlyMap<string, string>;

/** Takes out what several merchants are called: it would name neither. Pure. */
export function telling(names: MerchantNames): MerchantNames {
  const bearers = Map.groupBy(names, ([, name]) => name);
  return new Map([...names].filter(([, name]) => bearers.get(name)?.length === 1));
}

/** The name, its code on hover; without a name the code, as a thing to copy. */
export function merchant(id: string, names: MerchantNames): Html {
  const name = names.get(id);
  return name === undefined ? html`<code>${id}</code>` : html`<span title="${id}">${name}</span>`;
}
