/**
 * What a policy's rules say together: a rule that no case can reach, and two that overlap with different outcomes. Pure.
 *
 * Exact where conditions are intervals, sets and plain texts. What it cannot decide it leaves out: it never says of a
 * rule that can be reached that it cannot.
 */
import type { Condition } from './conditions.ts';
import type { FieldCondition } from './field-conditions.ts';
import type { PolicyParts, Rule } from './load.ts';
import { outcomeText } from './outcomes.ts';
import type { Constraint } from './rule-sets.ts';
import { complement, constraintOf, intersect, isWithin, minus, sampleOf } from './rule-sets.ts';

export interface RuleFinding {
  readonly kind: 'unreachable' | 'overlap';
  /** Of the rule that it is said of. */
  readonly line: number;
  readonly rule: string;
  /** What is so, an example case that shows it, and what to do. */
  readonly text: string;
}

/** Facts that together make a rule apply: by field. */
type Box = ReadonlyMap<string, Constraint>;

/** More cases than these are not looked at: the rule is left out. */
const BOXES_MAX = 64;
const PIECES_MAX = 500;

export function analyseRules({ rules }: Pick<PolicyParts, 'rules'>): RuleFinding[] {
  const known = rules.map((rule) => ({ rule, boxes: boxesOf(rule) }));
  return known.flatMap(({ rule, boxes }, index) => {
    const earlier = known.slice(0, index);
    if (boxes === undefined || boxes.length === 0) return [];
    const coverage = coveringOf(boxes, earlier);
    if (coverage !== undefined) return [unreachable(rule, { by: coverage, boxes })];
    return earlier.flatMap((other) => overlapOf({ rule, boxes }, other) ?? []);
  });
}

interface Known {
  readonly rule: Rule;
  /** Undefined: its conditions cannot be written as boxes, or as few. */
  readonly boxes: readonly Box[] | undefined;
}

function boxesOf({ when, sources }: Rule): readonly Box[] | undefined {
  const boxes = dnf(when, true);
  if (boxes === undefined || sources.length > 0) return boxes;
  // A rule that names no source is about alerts only.
  return boxes.map((box) => new Map([...box, ['source', box.get('source') ?? ALERTS]]));
}

const ALERTS: Constraint = { kind: 'words', words: new Set(['alert']) };

/** The cases in which it is a plain yes, or a plain no where `wanted` is false. Unknown is neither, so nothing is lost. */
function dnf(condition: Condition, wanted: boolean): readonly Box[] | undefined {
  switch (condition.kind) {
    case 'not':
      return dnf(condition.inner, !wanted);
    case 'all':
    case 'any': {
      const parts = condition.inner.map((each) => dnf(each, wanted));
      return (condition.kind === 'all') === wanted ? allOf(parts) : anyOf(parts);
    }
    default:
      return boxOf(condition, wanted);
  }
}

function boxOf(condition: FieldCondition, wanted: boolean): readonly Box[] | undefined {
  const constraint = constraintOf(condition);
  const one = constraint === undefined || wanted ? constraint : complement(constraint, condition);
  return one === undefined ? undefined : [new Map([[condition.field.name, one]])];
}

function anyOf(parts: readonly (readonly Box[] | undefined)[]): readonly Box[] | undefined {
  const all = parts.flatMap((boxes) => boxes ?? []);
  return parts.includes(undefined) || all.length > BOXES_MAX ? undefined : all;
}

function allOf(parts: readonly (readonly Box[] | undefined)[]): readonly Box[] | undefined {
  let product: readonly Box[] | undefined = [new Map()];
  for (const boxes of parts) {
    product = product === undefined || boxes === undefined ? undefined : pairs(product, boxes);
  }
  return product;
}

function pairs(one: readonly Box[], other: readonly Box[]): readonly Box[] | undefined {
  const met = one.flatMap((box) => other.map((each) => together(box, each)));
  const boxes = met.flatMap((both) => (both === undefined || both === 'empty' ? [] : [both]));
  return met.includes(undefined) || boxes.length > BOXES_MAX ? undefined : boxes;
}

/** Undefined: it cannot be told what both come to. */
function together(one: Box, other: Box): Box | 'empty' | undefined {
  const both = new Map(one);
  for (const [field, constraint] of other) {
    const own = both.get(field);
    const met = own === undefined ? constraint : intersect(own, constraint);
    if (met === 'empty' || met === undefined) return met;
    both.set(field, met);
  }
  return both;
}

/** The earlier rules that leave none of the boxes; undefined: some case may be left. */
function coveringOf(boxes: readonly Box[], earlier: readonly Known[]): readonly Rule[] | undefined {
  const used = new Set<Rule>();
  const cuts = earlier.flatMap(({ rule, boxes: all = [] }) => all.map((cut) => ({ rule, cut })));
  let left: readonly Box[] = boxes;
  for (const { rule, cut } of cuts) {
    left = left.flatMap((box) => {
      const rest = without(box, cut);
      if (rest !== undefined) used.add(rule);
      return rest ?? [box];
    });
    if (left.length === 0) return [...used];
    if (left.length > PIECES_MAX) return undefined;
  }
  return undefined;
}

/**
 * What the other leaves of the box; undefined: all of it, as far as can be told. An earlier rule about something of which
 * this one says nothing takes nothing away: it may not be known.
 */
function without(box: Box, other: Box): readonly Box[] | undefined {
  const pieces: Box[] = [];
  let inside: Box = box;
  for (const [field, constraint] of other) {
    const own = inside.get(field);
    if (own === undefined) return undefined;
    if (isWithin(own, constraint)) continue;
    const met = intersect(own, constraint);
    const rest = minus(own, constraint);
    if (met === undefined || met === 'empty' || rest === undefined) return undefined;
    pieces.push(new Map([...inside, [field, rest]]));
    inside = new Map([...inside, [field, met]]);
  }
  return pieces;
}

function unreachable(
  rule: Rule,
  { by, boxes }: { readonly by: readonly Rule[]; readonly boxes: readonly Box[] },
): RuleFinding {
  const names = by.map(({ name, line }) => `"${name}" (line ${line})`).join(' and ');
  const example = boxes.map(exampleOf).find((text) => text !== undefined);
  const shown = example === undefined ? '' : ` For example ${example}: that is answered before.`;
  return {
    kind: 'unreachable',
    line: rule.line,
    rule: rule.name,
    text: `no case reaches rule "${rule.name}": ${names} ${by.length === 1 ? 'applies' : 'apply'} to all of them first.${shown} Move it up, or remove it.`,
  };
}

/** Two rules about the same facts, of which neither is the narrower one, and that answer otherwise. */
function overlapOf(
  { rule, boxes }: { readonly rule: Rule; readonly boxes: readonly Box[] },
  other: Known,
): RuleFinding | undefined {
  const [one] = boxes;
  const [two] = other.boxes ?? [];
  if (one === undefined || two === undefined || boxes.length > 1 || other.boxes?.length !== 1)
    return;
  const isAlike = one.size === two.size && [...one.keys()].every((field) => two.has(field));
  if (!isAlike || outcomeText(rule.outcome) === outcomeText(other.rule.outcome)) return;
  const both = together(one, two);
  if (both === undefined || both === 'empty' || isInside(one, two) || isInside(two, one)) return;
  const example = exampleOf(both);
  if (example === undefined) return;
  return {
    kind: 'overlap',
    line: rule.line,
    rule: rule.name,
    text: `rule "${rule.name}" and rule "${other.rule.name}" (line ${other.rule.line}) both apply to some cases, with different outcomes: ${outcomeText(rule.outcome)} and ${outcomeText(other.rule.outcome)}. For example ${example}: rule "${other.rule.name}" answers it, because it stands first. Narrow one of them.`,
  };
}

function isInside(one: Box, two: Box): boolean {
  return [...one].every(([field, constraint]) => {
    const other = two.get(field);
    return other !== undefined && isWithin(constraint, other);
  });
}

/** `amount: 45.00 USD, scheme: SCHEME_A`, as an example of a policy gives it. Undefined: no such case is known for sure. */
function exampleOf(box: Box): string | undefined {
  const parts = [...box].flatMap(([field, constraint]) => {
    const sample = sampleOf(constraint);
    // That it is an alert goes without saying.
    if (field === 'source' && sample === 'alert') return [];
    return [sample === undefined ? undefined : `${field}: ${sample}`];
  });
  return parts.includes(undefined) ? undefined : parts.join(', ');
}
