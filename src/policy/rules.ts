/**
 * Reads the rules of a policy.
 */
import type { ClaimSource } from '../alerts/cases/claim.ts';
import type { PolicyOutcome, SideAction } from '../alerts/decide/policy.ts';
import type { CompileContext } from './compile-context.ts';
import type { Condition } from './conditions.ts';
import { compileConditions, sourcesOf } from './conditions.ts';
import { compileOutcome } from './outcomes.ts';
import { compileSideActions } from './side-actions.ts';
import type { ListNode, MapNode, Problems, SourceNode } from './source.ts';
import { knownEntries } from './source.ts';

/** Most rules of one policy: more than a person can hold in mind by far. */
export const RULES_MAX = 500;

export const NAME_LENGTH_MAX = 80;

/** What a rule is written with. */
export const RULE_WORDS = ['name', 'when', 'then', 'also'] as const;

export interface Rule {
  readonly name: string;
  readonly line: number;
  readonly when: Condition;
  readonly outcome: PolicyOutcome;
  readonly sideActions: readonly SideAction[];
  /** The claims it is about beside, or instead of, alerts. */
  readonly sources: readonly ClaimSource[];
}

/** Reads `rules:`, noting every problem. */
export function readRules(
  root: MapNode,
  node: SourceNode | undefined,
  context: CompileContext,
): readonly Rule[] {
  const { problems } = context;
  if (node === undefined) {
    problems.add(root.at, '"rules" is missing. Without any rule, write "rules: []".');
    return [];
  }
  if (node.kind !== 'list') {
    problems.add(node.at, '"rules" is a list: begin each rule with "- name:".');
    return [];
  }
  if (node.items.length > RULES_MAX) {
    problems.add(node.at, `${node.items.length} rules; at most ${RULES_MAX} are allowed.`);
    return [];
  }
  noteRepeatedNames(node, problems);
  return node.items.map((item) => readRule(item, context)).filter((rule) => rule !== undefined);
}

function readRule(node: SourceNode, context: CompileContext): Rule | undefined {
  const { problems } = context;
  if (node.kind !== 'map') {
    return problems.add(node.at, 'a rule has "name:", "when:" and "then:".');
  }
  const entries = knownEntries(node, { words: RULE_WORDS, problems });
  if (entries === undefined) return undefined;
  const { name, when, then, also } = entries;
  if (name === undefined) problems.add(node.at, 'this rule has no "name".');
  if (when === undefined) {
    problems.add(node.at, 'this rule has no "when". For all other alerts use "otherwise".');
  }
  if (then === undefined) problems.add(node.at, 'this rule has no "then".');
  const text = name === undefined ? null : readName(name, problems);
  const condition = when === undefined ? undefined : compileConditions(when, context);
  const outcome = then === undefined ? undefined : compileOutcome(then, problems);
  const sideActions = also === undefined ? [] : compileSideActions(also, problems);
  if (text === null || condition === undefined || outcome === undefined) return undefined;
  if (sideActions === undefined) return undefined;
  const sources = sourcesOf(condition);
  return { name: text, line: node.at.line, when: condition, outcome, sideActions, sources };
}

/** Reads a name; null, with the problem noted, when it is none. */
export function readName(node: SourceNode, problems: Problems): string | null {
  if (node.kind === 'text' && node.text !== '' && node.text.length <= NAME_LENGTH_MAX) {
    return node.text;
  }
  problems.add(node.at, `a name is a text of 1 to ${NAME_LENGTH_MAX} characters.`);
  return null;
}

/** Decisions name their rule, so two rules of one name could not be told apart. */
function noteRepeatedNames(rules: ListNode, problems: Problems): void {
  const lines = new Map<string, number>();
  for (const rule of rules.items) {
    const name = rule.kind === 'map' ? rule.entries.find(({ key }) => key === 'name') : undefined;
    if (name === undefined || name.value.kind !== 'text') continue;
    const { text, at } = name.value;
    const before = lines.get(text);
    if (before === undefined) lines.set(text, at.line);
    else problems.add(at, `the name "${text}" is used in line ${before} already. Choose another.`);
  }
}
