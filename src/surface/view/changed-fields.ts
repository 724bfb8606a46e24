/** What differs between two snapshots of the service, field by field. */

export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

type Snapshot = Readonly<Record<string, unknown>>;

/** The fields whose values differ, in the order of the newer snapshot. Empty for a first snapshot. */
export function changedFields(before: Snapshot | null, after: Snapshot): FieldChange[] {
  if (before === null) return [];
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  const fields = new Set([...now.keys(), ...old.keys()]);
  return [...fields]
    .filter((field) => JSON.stringify(old.get(field)) !== JSON.stringify(now.get(field)))
    .map((field) => ({ field, from: old.get(field) ?? null, to: now.get(field) ?? null }));
}
