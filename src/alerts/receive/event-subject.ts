/** What a stored body says it is about. Signed, yet possibly no JSON at all. Pure. */

/** An event's type, and the id of its object; null where the body does not say. */
export interface EventSubject {
  readonly type: string | null;
  readonly objectId: string | null;
}

/** Reads it. */
export function subjectOf(body: Buffer | null): EventSubject {
  const event = parse(body);
  const type = memberOf(event, 'type');
  const objectId = memberOf(memberOf(memberOf(event, 'data'), 'object'), 'id');
  return {
    type: typeof type === 'string' ? type : null,
    objectId: typeof objectId === 'string' ? objectId : null,
  };
}

/** What types and ids are made of. Whatever else stands there may be a person's, and is not told. */
const WORD = /^[\w.:-]{1,200}$/;

/** The subject as it may stand in clear beside a sealed body. */
export function plainSubjectOf(body: Buffer): EventSubject {
  const { type, objectId } = subjectOf(body);
  return {
    type: type !== null && WORD.test(type) ? type : null,
    objectId: objectId !== null && WORD.test(objectId) ? objectId : null,
  };
}

function parse(body: Buffer | null): unknown {
  try {
    return body === null ? undefined : JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
