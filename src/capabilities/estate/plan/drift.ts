/**
 * What was changed elsewhere, for example in the service's dashboard, since the last apply: field by
 * field, with what the file says. Where the file says something else it is a conflict, which a plan
 * never overwrites without being allowed to.
 */
import type { Applied, AppliedObject } from './applied-file.ts';
import {
  enrolmentOfService,
  isSame,
  merchantOfService,
  rulesetFields,
  rulesetOfService,
} from './content.ts';
import type { Estate } from './estate.ts';
import { unknownPart } from './known-ruleset.ts';
import type { Matched } from './match-estate.ts';
import type { Pair } from './match-rulesets.ts';
import { coversOf } from './plan-rulesets.ts';
import type { Dispute } from './rdr-width.ts';
import { findWider } from './rdr-width.ts';
import type { RefKind } from './references.ts';
import type { RemoteEstate } from './remote-estate.ts';

/** A field that was changed elsewhere. Lists hold only what is not in the other. */
export interface DriftField {
  readonly field: string;
  readonly applied: unknown;
  readonly now: unknown;
  /** Absent: the file says the same as the service now, or nothing. */
  readonly file?: unknown;
}

/** One object that somebody else changed. */
export interface Drift {
  readonly kind: RefKind;
  readonly id: string;
  /** The file's key, else the id. */
  readonly key: string;
  readonly change: 'changed' | 'created' | 'deleted' | 'cancelled';
  readonly fields: readonly DriftField[];
  /** The file says something else: a plan would overwrite it. */
  readonly isConflict: boolean;
}

/** An RDR enrolment on which RDR may refund more than after the last apply. */
export interface WiderSince {
  readonly enrolment: string;
  readonly example: Dispute;
}

/** File and service, matched. */
export interface DriftWorld {
  readonly estate: Estate;
  readonly remote: RemoteEstate;
  readonly matched: Matched;
}

type Fields = ReadonlyMap<string, unknown>;

/** Everything that the service holds, as a note for the next look. */
export function objectsToNote({ remote, matched }: Omit<DriftWorld, 'estate'>): AppliedObject[] {
  const keys = keysById(matched);
  const keyOf = (id: string): string | null => keys.get(id) ?? null;
  const asId = (id: string): string => id;
  return [
    ...remote.merchants.map(
      (merchant): AppliedObject => ({
        kind: 'merchant',
        id: merchant.id,
        key: keyOf(merchant.id),
        content: merchantOfService(merchant),
      }),
    ),
    ...remote.enrolments
      .filter(({ status }) => status !== 'CANCELLED')
      .map((enrolment): AppliedObject => {
        const content = enrolmentOfService(enrolment, asId);
        return { kind: 'enrolment', id: enrolment.id, key: keyOf(enrolment.id), content };
      }),
    ...remote.rulesets.map((ruleset): AppliedObject => {
      const content = rulesetOfService(ruleset, asId);
      return { kind: 'ruleset', id: ruleset.id, key: keyOf(ruleset.id), content };
    }),
  ];
}

function keysById({ merchants, enrolments, rulesets }: Matched): Map<string, string> {
  return new Map(
    [...merchants, ...enrolments, ...rulesets].flatMap(({ entry, remote }) =>
      remote === undefined ? [] : [[remote.id, entry.key]],
    ),
  );
}

/** What differs between the note and now. Pure. */
export function driftSince(applied: Applied, world: DriftWorld): Drift[] {
  const { remote, matched } = world;
  const now = new Map(objectsToNote(world).map((object) => [object.id, object]));
  const wanted = wantedFields(matched);
  const cancelled = new Set(
    remote.enrolments.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id),
  );
  const leaving = leavingIds(world);
  const present = [...now.values()].flatMap((object): Drift[] => {
    const { kind, id } = object;
    const base = applied.get(id);
    const [was, is] = [fieldsOf(base, matched), fieldsOf(object, matched)];
    const differing = fieldsBetween(was, is, wanted.get(`${kind} id ${id}`));
    if (differing.length === 0) return [];
    const isConflict = leaving.has(id) || differing.some((field) => isOverwritten(field));
    const common = { kind, id, key: object.key ?? id, isConflict };
    // For a new object only the differences from the file are shown.
    return base === undefined
      ? [{ ...common, change: 'created', fields: differing.filter((field) => 'file' in field) }]
      : [{ ...common, change: 'changed', fields: differing }];
  });
  const gone = [...applied.values()].flatMap((base): Drift[] => {
    const { kind, id, key } = base;
    if (now.has(id)) return [];
    const isConflict = key !== null && wanted.has(`${kind} new ${key}`);
    const change = cancelled.has(id) ? 'cancelled' : 'deleted';
    return [{ kind, id, key: key ?? id, change, fields: [], isConflict }];
  });
  return [...present, ...gone];
}

/** What the file says, by the id of the object it means; without one, as new by its key. */
function wantedFields(matched: Matched): Map<string, Fields> {
  const named = <Wanted>(
    kind: RefKind,
    pairs: readonly Pair<{ readonly key: string }, Wanted, { readonly id: string }>[],
    fields: (wanted: Wanted) => Fields,
  ): [string, Fields][] =>
    pairs.map(({ entry, remote, wanted }) => [
      remote === undefined ? `${kind} new ${entry.key}` : `${kind} id ${remote.id}`,
      fields(wanted),
    ]);
  return new Map([
    ...named('merchant', matched.merchants, plainFields),
    ...named('enrolment', matched.enrolments, plainFields),
    ...named('ruleset', matched.rulesets, rulesetFields),
  ]);
}

/** What a plan takes away. */
function leavingIds({ estate, matched }: DriftWorld): Set<string> {
  const { unlisted, superseded } = matched;
  const removed =
    estate.unlisted === 'remove'
      ? [...unlisted.merchants, ...unlisted.enrolments, ...unlisted.rulesets]
      : [];
  return new Set([...superseded, ...removed].map(({ id }) => id));
}

/** References as keys of the file, where it has one. */
function fieldsOf(object: AppliedObject | undefined, matched: Matched): Fields {
  if (object === undefined || object.content === null) return new Map();
  if (object.kind === 'merchant') return plainFields(object.content);
  if (object.kind === 'enrolment') {
    const merchants = object.content.merchants.map(matched.keyOfMerchant).sort();
    return plainFields({ ...object.content, merchants });
  }
  const enrolments = object.content.enrolments.map(matched.keyOfEnrolment).sort();
  return rulesetFields({ ...object.content, enrolments });
}

function plainFields(content: object): Fields {
  return new Map(Object.entries(content));
}

function fieldsBetween(was: Fields, is: Fields, file: Fields | undefined): DriftField[] {
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((field): DriftField[] => {
    const [applied, now, wanted] = [was.get(field), is.get(field), file?.get(field)];
    if (isSame(applied ?? null, now ?? null)) return [];
    const said =
      file === undefined || isSame(wanted ?? null, now ?? null) ? {} : { file: wanted ?? null };
    if (!Array.isArray(applied) || !Array.isArray(now)) {
      return [{ field, applied: applied ?? null, now: now ?? null, ...said }];
    }
    return [{ field, applied: without(applied, now), now: without(now, applied), ...said }];
  });
}

function without(list: readonly unknown[], other: readonly unknown[]): unknown[] {
  return list.filter((one) => !other.some((candidate) => isSame(one, candidate)));
}

/** Descriptors are only ever added: what somebody added besides is not overwritten. */
function isOverwritten({ field, applied, file }: DriftField): boolean {
  if (file === undefined) return false;
  if (field !== 'descriptors' || !Array.isArray(applied) || !Array.isArray(file)) return true;
  return applied.some((one) => file.some((entry: unknown) => isSame(one, entry)));
}

/** RDR enrolments on which RDR may refund now what it could not after the last apply. */
export function widerSince(applied: Applied, { remote, matched }: DriftWorld): WiderSince[] {
  const before = [...applied.values()].flatMap((object) =>
    object.kind === 'ruleset' && object.content !== null ? [object.content] : [],
  );
  const after = remote.rulesets.map((ruleset) => rulesetOfService(ruleset, (id) => id));
  const unknown = new Set(
    [...before, ...after]
      .filter((ruleset) => unknownPart(ruleset) !== undefined)
      .flatMap(({ enrolments }) => enrolments),
  );
  const [was, is] = [coversOf(before), coversOf(after)];
  return remote.enrolments.flatMap(({ id, type, status }): WiderSince[] => {
    const isCompared = type === 'NETB_RDR' && status !== 'CANCELLED' && applied.has(id);
    if (!isCompared || unknown.has(id)) return [];
    const example = findWider(is.get(id) ?? [], [was.get(id) ?? []]);
    return example === undefined ? [] : [{ enrolment: matched.keyOfEnrolment(id), example }];
  });
}
