/** Which id of the service a key of the file means, both ways. */

/** What has keys. */
export const REF_KINDS = ['merchant', 'enrolment', 'ruleset'] as const;
export type RefKind = (typeof REF_KINDS)[number];

/** A key and its id. */
export interface Reference {
  readonly kind: RefKind;
  readonly key: string;
  readonly id: string;
}

/** Keys and ids; grows as things are created. */
export interface References {
  /** The id of a key. What is no key is an id already. */
  idOf(kind: RefKind, key: string): string;
  /** The key of an id, where it has one. */
  keyOf(kind: RefKind, id: string): string;
  add(reference: Reference): void;
}

export function createReferences(references: readonly Reference[]): References {
  const ids = new Map<string, string>();
  const keys = new Map<string, string>();
  const add = ({ kind, key, id }: Reference): void => {
    ids.set(`${kind} ${key}`, id);
    keys.set(`${kind} ${id}`, key);
  };
  for (const reference of references) add(reference);
  return {
    idOf: (kind, key) => ids.get(`${kind} ${key}`) ?? key,
    keyOf: (kind, id) => keys.get(`${kind} ${id}`) ?? id,
    add,
  };
}
