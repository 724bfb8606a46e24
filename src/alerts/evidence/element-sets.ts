/** Which elements may agree together: each of another group, one of them an address or a device. */
import type { Element } from './payment.ts';

/** Elements that count as one, because one of them is enough. */
const GROUP: Readonly<Record<Element, 'user' | 'ip' | 'address' | 'device'>> = {
  account: 'user',
  email: 'user',
  ip: 'ip',
  address: 'address',
  device: 'device',
  fingerprint: 'device',
};

/** Sets of so many elements of different groups, one of them an address or a device. */
export function elementSets(size: number): readonly (readonly Element[])[] {
  const known = SETS.get(size);
  if (known !== undefined) return known;
  const made = makeSets(size);
  SETS.set(size, made);
  return made;
}

/** Made once per size. */
const SETS = new Map<number, readonly (readonly Element[])[]>();

function makeSets(size: number): Element[][] {
  const all: readonly Element[] = ['ip', 'device', 'fingerprint', 'account', 'email', 'address'];
  let sets: Element[][] = [[]];
  for (const element of all) {
    const wider = sets
      .filter((set) => set.every((other) => GROUP[other] !== GROUP[element]))
      .map((set) => [...set, element]);
    sets = [...sets, ...wider];
  }
  return sets.filter(
    (set) =>
      set.length === size && set.some((each) => GROUP[each] === 'ip' || GROUP[each] === 'device'),
  );
}
