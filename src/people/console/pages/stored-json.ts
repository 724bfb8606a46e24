/** Reads values of stored JSON, whatever an earlier version wrote there. */

export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

export function textAt(value: unknown, name: string): string | null {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : null;
}

export function textsAt(value: unknown, name: string): string[] {
  const member = memberOf(value, name);
  return Array.isArray(member) ? member.filter((text) => typeof text === 'string') : [];
}
