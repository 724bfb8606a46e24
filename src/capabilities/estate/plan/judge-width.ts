/** Which steps of a plan let RDR refund more than before, and what must be allowed by name. */

import type { FilePosition, FileProblem } from '../../../base/kernel/yaml-text.ts';
import type { RulesetContent } from './content.ts';
import { rulesetOfService } from './content.ts';
import type { Matched } from './match-estate.ts';
import { coversOf } from './plan-rulesets.ts';
import type { Cover, Dispute } from './rdr-width.ts';
import { findWider } from './rdr-width.ts';
import type { Step } from './step.ts';

/** The rulesets at the service, by id, in the form of the file. */
function heldRulesets({
  rulesets,
  unlisted,
  superseded,
  keyOfEnrolment,
}: Matched): Map<string, RulesetContent> {
  const listed = rulesets.flatMap(({ remote }) => (remote === undefined ? [] : [remote]));
  return new Map(
    [...listed, ...superseded, ...unlisted.rulesets].map((ruleset) => [
      ruleset.id,
      rulesetOfService(ruleset, keyOfEnrolment),
    ]),
  );
}

/** The rulesets once the steps are done. */
function rulesetsAfter(steps: readonly Step[], matched: Matched): RulesetContent[] {
  const now = heldRulesets(matched);
  for (const step of steps) take(now, step);
  return [...now.values()];
}

/** Does the step and returns which ruleset is there because of it, if one is. */
function take(now: Map<string, RulesetContent>, step: Step): string | undefined {
  if (step.kind === 'create_ruleset') {
    now.set(`new ${step.key}`, step.content);
    return `new ${step.key}`;
  }
  if (step.kind === 'delete_ruleset') now.delete(step.id);
  if (!('after' in step) || step.kind === 'update_merchant') return undefined;
  now.set(step.id, step.after);
  return step.id;
}

/**
 * The steps after which RDR may refund what it could not before them, by their index, each with an
 * example; `all` for an enrolment that begins.
 */
export function judgeWidth(steps: readonly Step[], matched: Matched): Map<number, Dispute | 'all'> {
  const wider = new Map<number, Dispute | 'all'>();
  const now = heldRulesets(matched);
  const touching = new Map<string, Set<string>>();
  const note = (ref: string): void => {
    for (const enrolment of now.get(ref)?.enrolments ?? []) {
      touching.set(enrolment, (touching.get(enrolment) ?? new Set()).add(ref));
    }
  };
  for (const ref of now.keys()) note(ref);
  const coverOf = (enrolment: string): Cover =>
    [...(touching.get(enrolment) ?? [])].flatMap((ref) => {
      const content = now.get(ref);
      return content?.enrolments.includes(enrolment) === true ? [content] : [];
    });
  const rdr = rdrKeys(matched);
  const fresh = new Set<string>();
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'create_enrolment') {
      fresh.add(step.key);
      if (step.content.type === 'NETB_RDR') wider.set(index, 'all');
      continue;
    }
    const touched = enrolmentsOf(step, now).filter((key) => rdr.has(key) && !fresh.has(key));
    const before = touched.map(coverOf);
    const ref = take(now, step);
    if (ref !== undefined) note(ref);
    const example = touched
      .map((key, at) => findWider(coverOf(key), [before[at] ?? []]))
      .find((found) => found !== undefined);
    if (example !== undefined) wider.set(index, example);
  }
  return wider;
}

function enrolmentsOf(step: Step, now: ReadonlyMap<string, RulesetContent>): string[] {
  if (step.kind === 'create_ruleset') return [...step.content.enrolments];
  if (!('id' in step)) return [];
  const after = 'after' in step && 'enrolments' in step.after ? step.after.enrolments : [];
  return [...new Set([...(now.get(step.id)?.enrolments ?? []), ...after])];
}

/** RDR enrolments by key, or by id where no file names them. */
function rdrKeys({ enrolments, unlisted }: Matched): Set<string> {
  return new Set([
    ...enrolments.filter(({ wanted }) => wanted.type === 'NETB_RDR').map(({ entry }) => entry.key),
    ...unlisted.enrolments
      .filter(({ type, status }) => type === 'NETB_RDR' && status !== 'CANCELLED')
      .map(({ id }) => id),
  ]);
}

/** RDR enrolments that exist and have no ruleset afterwards. */
export function noteUncovered(steps: readonly Step[], matched: Matched): string[] {
  const after = coversOf(rulesetsAfter(steps, matched));
  return matched.enrolments
    .filter(({ entry, remote }) => remote?.type === 'NETB_RDR' && !after.has(entry.key))
    .map(
      ({ entry }) =>
        `RDR enrolment "${entry.key}" has no ruleset: RDR refunds every eligible dispute on it.`,
    );
}

/** RDR enrolments that have rulesets today and would have none. */
export function checkLosesLastRuleset(
  steps: readonly Step[],
  matched: Matched,
  top: FilePosition,
): FileProblem[] {
  const before = coversOf(heldRulesets(matched).values());
  const after = coversOf(rulesetsAfter(steps, matched));
  const places = new Map(matched.enrolments.map(({ entry }) => [entry.key, entry.at]));
  return [...rdrKeys(matched)]
    .filter((key) => before.has(key) && !after.has(key))
    .map((key) => ({
      ...(places.get(key) ?? top),
      message: `RDR enrolment "${key}" would lose its last ruleset: RDR then refunds every eligible dispute on it. Give it a ruleset, or allow it with --allow-refund-everything.`,
    }));
}
