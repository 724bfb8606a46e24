/**
 * Whether this version knows everything that a ruleset says. What RDR does with one that it does not
 * know cannot be told, so nothing is planned around it.
 */

import type { FilePosition, FileProblem } from '../../../base/kernel/yaml-text.ts';
import {
  amountRuleParametersSchema,
  descriptorRuleParametersSchema,
  JOIN_OPERATORS,
  RULESET_OUTCOMES,
} from '../../../service/wire/ruleset.ts';
import type { RuleContent, RulesetContent } from './content.ts';
import { isSame, rulesetOfService } from './content.ts';
import type { Matched } from './match-estate.ts';
import type { RulesetChange } from './plan-rulesets.ts';

/** What of a ruleset this version does not know; undefined: it knows all of it. */
export function unknownPart({ outcome, join, rules }: RulesetContent): string | undefined {
  if (!RULESET_OUTCOMES.some((known) => known === outcome)) return `the outcome ${outcome}`;
  if (join !== null && !JOIN_OPERATORS.some((known) => known === join)) {
    return `the join operator ${join}`;
  }
  const rule = rules.find((each) => !isKnownRule(each));
  if (rule !== undefined) return `a rule of type ${rule.type} in a form`;
  const twice = rules.find(
    ({ type }, index) => rules.findIndex((each) => each.type === type) < index,
  );
  return twice === undefined ? undefined : `two ${twice.type} rules`;
}

function isKnownRule({ type, parameters }: RuleContent): boolean {
  if (type === 'AMOUNT') return amountRuleParametersSchema.safeParse(parameters).success;
  return type === 'DESCRIPTOR' && descriptorRuleParametersSchema.safeParse(parameters).success;
}

/** What the plan says about rulesets that this version does not know. */
export interface UnknownRulesets {
  readonly problems: readonly FileProblem[];
  readonly notes: readonly string[];
}

/**
 * A problem where such a ruleset would change, or is beside one that changes on the same enrolment;
 * else a note.
 */
export function findUnknown(
  matched: Matched,
  changes: readonly RulesetChange[],
  top: FilePosition,
): UnknownRulesets {
  const changing = changes.filter(({ before, after }) => !isSame(before, after));
  const touched = new Set(
    changing.flatMap(({ before, after }) => [
      ...(before?.enrolments ?? []),
      ...(after?.enrolments ?? []),
    ]),
  );
  const problems: FileProblem[] = [];
  const notes: string[] = [];
  const places = new Map(
    matched.rulesets.flatMap(({ entry, remote }) => (remote ? [[remote.id, entry.at]] : [])),
  );
  const listed = matched.rulesets.flatMap(({ remote }) => (remote ? [remote] : []));
  for (const ruleset of [...listed, ...matched.superseded, ...matched.unlisted.rulesets]) {
    const content = rulesetOfService(ruleset, matched.keyOfEnrolment);
    const part = unknownPart(content);
    if (part === undefined) continue;
    const what = `ruleset ${ruleset.id} on ${content.enrolments.join(', ')} has ${part} that this version does not know`;
    if (!content.enrolments.some((key) => touched.has(key))) {
      notes.push(`The ${what}. It is left alone.`);
      continue;
    }
    const message = `${what}, so that nobody can tell which disputes RDR refunds there. Install a newer version of Forestall, or change that ruleset in the service's dashboard; until then leave the rulesets of these enrolments as they are.`;
    problems.push({ ...(places.get(ruleset.id) ?? top), message });
  }
  return { problems, notes };
}
