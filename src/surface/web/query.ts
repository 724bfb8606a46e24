/** Reads queries, cursors, ids and notes from outside. Whatever is not expected is refused by name. */
import type { Request } from 'express';
import { z } from 'zod';
import type { CaseState } from '../../alerts/cases/case-state.ts';
import { CASE_STATES, isTerminal } from '../../alerts/cases/case-state.ts';
import { OPERATOR_ACTIONS } from '../../alerts/review/operator-decision.ts';
import { holdsCardNumber } from '../../base/kernel/card-number.ts';
import { isRemoteId } from '../../base/kernel/ids.ts';
import { amountMinor } from '../../service/wire/fields.ts';
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import type { Fault } from './fault.ts';
import type { OperatorDecision } from './ports.ts';

/** Items of a page when nothing is asked for, and at most. */
export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 200;

/** Characters of an operator's note. */
export const NOTE_LENGTH_MAX = 500;

/** Characters of an event id that is looked up; the sender chooses it. */
const EVENT_ID_LENGTH_MAX = 500;

/** A value as read, or what is wrong with it. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const limit = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .transform(Number)
  .refine((count) => count <= LIMIT_MAX);

/** Reads a cursor: base64url of a JSON array of the given shape. */
export function cursorOf<Shape extends z.ZodType>(shape: Shape): z.ZodType<z.infer<Shape>, string> {
  return z
    .string()
    .max(1_000)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
      } catch {
        context.addIssue('is no cursor');
        return z.NEVER;
      }
    })
    .pipe(shape);
}

/** Creates a cursor of the values a page ended with. Opaque: only the next page's query reads it. */
export function makeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The cursor of the page after these items; null on the last page. */
export function nextCursor<Item>(
  items: readonly Item[],
  limit: number,
  placeOf: (last: Item) => readonly (string | number)[],
): string | null {
  const last = items.length === limit ? items.at(-1) : undefined;
  return last === undefined ? null : makeCursor(placeOf(last));
}

/** A moment with microseconds that the database can hold. */
export const microsecondMoment = z.iso.datetime({ precision: 6 }).regex(/^[12]/);
/** A short text without control characters. */
export const plainText = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => text.isWellFormed() && !holdsControlCharacter(text));
const positive = z.int().min(1);

/** `open` and `closed` mean the states that are, or are not, still to be answered. */
const STATE_GROUPS = { open: openStates(), closed: closedStates(), all: CASE_STATES } as const;

function openStates(): CaseState[] {
  return CASE_STATES.filter((state) => !isTerminal(state));
}

function closedStates(): CaseState[] {
  return CASE_STATES.filter(isTerminal);
}

export function statesOf(word: string): readonly CaseState[] {
  if (word === 'open' || word === 'closed' || word === 'all') return STATE_GROUPS[word];
  return CASE_STATES.filter((state) => state === word);
}

export const alertListQuery = z.strictObject({
  state: z.enum(['open', 'closed', 'all', ...CASE_STATES]).default('open'),
  limit: limit.default(LIMIT_DEFAULT),
  cursor: cursorOf(z.tuple([microsecondMoment, plainText])).optional(),
});

/** An amount as people write it, at most four digits after the point. */
export const decimal = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,4})?$/, { error: 'must be a number like 129.90' });
const word = z.string().regex(/^[A-Za-z0-9_.-]{1,60}$/);
const day = z.iso.date().regex(/^[12]/);

export const alertSearchQuery = alertListQuery.extend({
  q: plainText.max(100).optional(),
  programme: word.optional(),
  scheme: word.optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'must be three capital letters' })
    .optional(),
  reason: word.optional(),
  held: word.optional(),
  issuer: plainText.max(100).optional(),
  descriptor: plainText.max(100).optional(),
  min: decimal.optional(),
  max: decimal.optional(),
  /** First and last day of receipt, UTC. */
  from: day.optional(),
  to: day.optional(),
  /** The day on which it ended, UTC; of a missed one that of its deadline, as in the figures. */
  ended: day.optional(),
  missed: z.enum(['yes']).optional(),
  /** Look further before the page ends. */
  deep: z.enum(['yes']).optional(),
  /** Open the only thing that is found. */
  go: z.enum(['yes']).optional(),
});
export type AlertSearchQuery = z.infer<typeof alertSearchQuery>;

export const findingListQuery = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  limit: limit.default(LIMIT_DEFAULT),
  cursor: cursorOf(z.tuple([positive])).optional(),
});

export const eventListQuery = z.strictObject({
  state: z.enum(['all', 'quarantined']).default('all'),
  limit: limit.default(LIMIT_DEFAULT),
  cursor: cursorOf(z.tuple([microsecondMoment, positive]).or(z.tuple([positive]))).optional(),
});

/** The webhook log: every delivery, or those of one verdict. */
export const webhookLogQuery = eventListQuery.extend({
  state: z.enum(['all', 'accepted', 'repeats', 'refused', 'quarantined', 'polled']).default('all'),
  cursor: cursorOf(
    z
      .tuple([microsecondMoment, positive])
      .or(z.tuple([positive]))
      .or(z.tuple([microsecondMoment])),
  ).optional(),
});

/** Which approval a form answers. */
export const approvalId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number);

/** The note of a decision, as it is kept with it; the service is not told. */
export const note = z
  .string()
  .max(NOTE_LENGTH_MAX)
  .refine((text) => !holdsControlCharacter(text), { error: 'holds control characters' })
  .refine((text) => text.isWellFormed(), { error: 'is no valid text' })
  .refine((text) => !holdsCardNumber(text), { error: 'holds a card number; leave it out' });

export const decisionBody = z.strictObject({
  action: z.enum(OPERATOR_ACTIONS),
  note: note.optional(),
  charge_reference: plainText.optional(),
  other_card: z.boolean().optional(),
  amount_in_cents: amountMinor.min(1).optional(),
  /** `ACCEPT_DISPUTE`: the sum that went back and may be paid twice, as the caller was told. */
  despite_in_cents: amountMinor.min(1).optional(),
  reference: plainText.optional(),
  dispute_id: plainText.optional(),
  /** The `seen` of the case that the decision is about; 409 when there is another one by now. */
  seen: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
});
/** Actions about money before which a person proves who they are. */
export const NEEDS_PROOF: ReadonlySet<DecisionBody['action']> = new Set([
  'REFUND',
  'REFUNDED_OUTSIDE',
  'DID_EXECUTE',
  'DID_NOT_EXECUTE',
]);

export type DecisionBody = z.infer<typeof decisionBody>;

export function decisionOf(
  { action, note: text, charge_reference, seen: mark, ...said }: DecisionBody,
  by: Pick<OperatorDecision, 'organisationId' | 'alertId' | 'operator'>,
): OperatorDecision {
  return {
    ...by,
    action,
    note: text,
    ...(charge_reference === undefined ? {} : { chargeReference: charge_reference }),
    ...(said.other_card === undefined ? {} : { otherCard: said.other_card }),
    ...(said.amount_in_cents === undefined ? {} : { amountMinor: said.amount_in_cents }),
    ...(said.despite_in_cents === undefined ? {} : { despiteMinor: said.despite_in_cents }),
    ...(said.reference === undefined ? {} : { reference: said.reference }),
    ...(said.dispute_id === undefined ? {} : { disputeId: said.dispute_id }),
    ...(mark === undefined ? {} : { seen: mark }),
  };
}

function holdsControlCharacter(text: string): boolean {
  return [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0;
    return (code < 0x20 && character !== '\n' && character !== '\t') || code === 0x7f;
  });
}

/** Reads `input` as `schema`; a fault names the field, never the value. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Reading<z.infer<Schema>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, faults: parsed.error.issues.flatMap(faultsOf) };
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => fault('is not known here', key.slice(0, 50)));
  }
  const field = issue.path.map(String).join('.');
  if (issue.code === 'invalid_value') {
    return [fault(`must be one of ${issue.values.map(String).join(', ')}`, field)];
  }
  // A schema's own words go on after the field's name; the library's begin a sentence of their own.
  return [fault(/^[a-z]/.test(issue.message) ? issue.message : 'is not valid', field)];
}

function fault(problem: string, field: string): Fault {
  return { code: 'INVALID_REQUEST', message: `${field} ${problem}.`, ...(field && { field }) };
}

/** The alert id of the path, or undefined when it is none. */
export function alertIdOf({
  params,
}: {
  readonly params: Readonly<Record<string, unknown>>;
}): string | undefined {
  const id = params['id'];
  const isId = typeof id === 'string' && isRemoteId(id) && id.startsWith(ID_PREFIXES.alert);
  return isId ? id : undefined;
}

/** The event id of the path, or undefined when it is too long to be one. */
export function eventIdOf(request: Request): string | undefined {
  const id = request.params['id'];
  if (typeof id !== 'string' || id.length > EVENT_ID_LENGTH_MAX) return undefined;
  return holdsControlCharacter(id) ? undefined : id;
}
