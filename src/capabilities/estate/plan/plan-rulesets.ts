/**
 * The order in which rulesets change, so that no moment between two calls lets RDR refund what neither
 * the estate before nor the one after lets it refund.
 *
 * Whole rulesets are created first and deleted last: while everything old is still there, or everything
 * new is there already, that cannot happen. A ruleset whose change fits one call is changed in place
 * where that was checked for every enrolment it touches; otherwise a new one is created and the old one
 * deleted.
 */
import { assertInvariant } from '../../../base/kernel/errors.ts';
import type { Rule } from '../../../service/wire/ruleset.ts';
import type { RulesetContent } from './content.ts';
import { isSame, ruleOfService } from './content.ts';
import type { Cover } from './rdr-width.ts';
import { findWider } from './rdr-width.ts';
import type { RulesetStep } from './step.ts';

/** One ruleset before and after; `before` absent: new; `after` absent: to go. */
export interface RulesetChange {
  readonly key: string;
  readonly organisation: string;
  readonly id?: string | undefined;
  /** As the service holds them, with their ids. */
  readonly rules?: readonly Rule[] | undefined;
  readonly before?: RulesetContent | undefined;
  readonly after?: RulesetContent | undefined;
}

/** What does not change, and which enrolments are RDR's. */
export interface RulesetWorld {
  /** By id. */
  readonly unchanged: ReadonlyMap<string, RulesetContent>;
  readonly isRdr: (enrolment: string) => boolean;
}

/** The calls, in their order. Pure. */
export function planRulesets(
  changes: readonly RulesetChange[],
  world: RulesetWorld,
): RulesetStep[] {
  const single = new Map(
    changes.flatMap((change) => {
      const step = singleCall(change);
      return step === undefined ? [] : [[change, step]];
    }),
  );
  // Each round takes at least one change out of `single`; without any, the order is right by itself.
  for (;;) {
    const tried = tryOrder(changes, single, world);
    if (tried.steps !== undefined) return tried.steps;
    assertInvariant(single.size > 0, 'Rulesets that are created first and deleted last widen RDR.');
    if (tried.failed === undefined) single.clear();
    else single.delete(tried.failed);
  }
}

interface Tried {
  readonly steps?: RulesetStep[];
  /** The change in place that would widen RDR; absent when a deletion would. */
  readonly failed?: RulesetChange | undefined;
}

function tryOrder(
  changes: readonly RulesetChange[],
  single: ReadonlyMap<RulesetChange, RulesetStep>,
  world: RulesetWorld,
): Tried {
  const walk = openWalk(changes, world);
  const steps: RulesetStep[] = [];
  for (const change of changes) {
    const { key, organisation, after } = change;
    if (after === undefined || single.has(change) || isSame(change.before, after)) continue;
    steps.push({ kind: 'create_ruleset', key, organisation, content: after });
    walk.put(NEW + key, after);
  }
  const waiting = new Map(single);
  while (waiting.size > 0) {
    const next = [...waiting].find(([change]) => walk.isAllowed(change.id ?? '', change.after));
    if (next === undefined) return { failed: [...waiting.keys()][0] };
    const [change, step] = next;
    waiting.delete(change);
    steps.push(step);
    walk.put(change.id ?? '', change.after);
  }
  for (const change of changes) {
    const { key, id, before, after } = change;
    if (id === undefined || before === undefined || single.has(change) || isSame(before, after))
      continue;
    if (!walk.isAllowed(id, undefined)) return {};
    steps.push({ kind: 'delete_ruleset', key, id, before, remaining: walk.othersOn(id) });
    walk.put(id, undefined);
  }
  return { steps };
}

/** Begins the name of a ruleset that has no id yet. */
const NEW = 'new ';

interface Walk {
  /** Whether putting `content` (or nothing) in the place of `ref` lets RDR refund nothing new. */
  isAllowed(ref: string, content: RulesetContent | undefined): boolean;
  put(ref: string, content: RulesetContent | undefined): void;
  /** The other rulesets on the RDR enrolments of `ref`, by key or id. */
  othersOn(ref: string): string[];
}

function openWalk(changes: readonly RulesetChange[], { unchanged, isRdr }: RulesetWorld): Walk {
  const existing = changes.flatMap(({ id, before }): [string, RulesetContent][] =>
    id === undefined || before === undefined ? [] : [[id, before]],
  );
  const now = new Map<string, RulesetContent>([...unchanged, ...existing]);
  const touching = new Map<string, Set<string>>();
  const note = (ref: string, { enrolments }: RulesetContent): void => {
    for (const enrolment of enrolments) {
      const refs = touching.get(enrolment) ?? new Set();
      touching.set(enrolment, refs.add(ref));
    }
  };
  for (const [ref, content] of now) note(ref, content);
  const before = coversOf(now.values());
  const after = coversOf([
    ...unchanged.values(),
    ...changes.flatMap((change) => (change.after ? [change.after] : [])),
  ]);
  const coverNow = (enrolment: string, ref: string, content: RulesetContent | undefined): Cover =>
    [...(touching.get(enrolment) ?? []), ref].flatMap((other, index, all) => {
      if (all.indexOf(other) !== index) return [];
      const held = other === ref ? content : now.get(other);
      return held?.enrolments.includes(enrolment) === true ? [held] : [];
    });
  return {
    isAllowed(ref, content): boolean {
      const enrolments = new Set([
        ...(now.get(ref)?.enrolments ?? []),
        ...(content?.enrolments ?? []),
      ]);
      return [...enrolments].filter(isRdr).every((enrolment) => {
        const ends = [before.get(enrolment) ?? [], after.get(enrolment) ?? []];
        return findWider(coverNow(enrolment, ref, content), ends) === undefined;
      });
    },
    othersOn(ref): string[] {
      const enrolments = (now.get(ref)?.enrolments ?? []).filter(isRdr);
      const refs = enrolments.flatMap((enrolment) => [...(touching.get(enrolment) ?? [])]);
      const others = [...new Set(refs)].filter(
        (other) =>
          other !== ref &&
          now.get(other)?.enrolments.some((enrolment) => enrolments.includes(enrolment)),
      );
      return others.map((other) => other.replace(NEW, ''));
    },
    put(ref, content): void {
      if (content === undefined) now.delete(ref);
      else {
        now.set(ref, content);
        note(ref, content);
      }
    },
  };
}

/** The rulesets of each enrolment. */
export function coversOf(rulesets: Iterable<RulesetContent>): Map<string, RulesetContent[]> {
  const covers = new Map<string, RulesetContent[]>();
  for (const ruleset of rulesets) {
    for (const enrolment of ruleset.enrolments) {
      const cover = covers.get(enrolment) ?? [];
      cover.push(ruleset);
      covers.set(enrolment, cover);
    }
  }
  return covers;
}

/** The one call that makes the change in place, if one is enough. */
function singleCall(change: RulesetChange): RulesetStep | undefined {
  const { key, id, before, after, rules = [] } = change;
  if (id === undefined || before === undefined || after === undefined) return undefined;
  if (isSame(before, after)) return undefined;
  const common = { key, id, before, after };
  const types = new Set([...before.rules, ...after.rules].map(({ type }) => type));
  const changed = [...types].filter((type) => !isSame(ruleOf(before, type), ruleOf(after, type)));
  const isRestSame =
    isSame({ ...before, rules: [], join: null }, { ...after, rules: [], join: null }) &&
    (before.join === after.join || before.join === null || after.join === null);
  const [type, ...more] = changed;
  if (type === undefined) return { kind: 'update_ruleset', ...common };
  if (more.length > 0 || !isRestSame) return undefined;
  // A rule more gives the join operator a meaning that it did not have: the service's may be another.
  if (before.join === null && after.join !== null) return undefined;
  const rule = ruleOf(after, type);
  const ruleId = rules.find(
    (held) =>
      held.type === type && isSame(ruleOfService(held.type, held.parameters), ruleOf(before, type)),
  )?.id;
  if (ruleId === undefined) {
    return rule === undefined ? undefined : { kind: 'create_rule', ...common, rule };
  }
  const old = ruleOf(before, type);
  if (rule !== undefined) return { kind: 'update_rule', ...common, rule, ruleId };
  return old === undefined ? undefined : { kind: 'delete_rule', ...common, rule: old, ruleId };
}

function ruleOf(
  { rules }: RulesetContent,
  type: string,
): RulesetContent['rules'][number] | undefined {
  return rules.find((rule) => rule.type === type);
}
