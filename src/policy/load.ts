/**
 * Turns the text of a policy file into a policy, or into a list of everything that is wrong with it.
 *
 * @example
 * const policy = loadPolicy(await readFile(path, 'utf8'), { file: path });
 */
import { createHash } from 'node:crypto';
import type { DecisionFacts } from '../decide/facts.ts';
import type {
  Policy,
  PolicyFallback,
  PolicyOutcome,
  PolicyProposal,
  RuleTrace,
} from '../decide/policy.ts';
import type { BrandTokenMap } from '../wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../wire/brand-tokens.ts';
import type { CompileContext, Condition } from './conditions.ts';
import { compileConditions } from './conditions.ts';
import { evaluate } from './evaluate.ts';
import { compileFallback, compileOutcome } from './outcomes.ts';
import type { ListNode, MapNode, SourceNode } from './source.ts';
import { knownEntries, Problems, readSource } from './source.ts';

/** Most rules of one policy: more than a person can hold in mind by far. */
export const RULES_MAX = 500;

const NAME_LENGTH_MAX = 80;

/** Options of {@link loadPolicy}. */
export interface LoadPolicyOptions {
  /** Named in messages. */
  readonly file: string;
  /** The service's real names, accepted beside the neutral tokens. */
  readonly brands?: BrandTokenMap;
}

interface Rule {
  readonly name: string;
  readonly line: number;
  readonly when: Condition;
  readonly outcome: PolicyOutcome;
}

/**
 * Reads a policy.
 *
 * @throws {PolicyError} listing every problem with file, line and column
 */
export function loadPolicy(text: string, options: LoadPolicyOptions): Policy {
  const problems = new Problems(options.file);
  const context: CompileContext = { problems, brands: options.brands ?? IDENTITY_BRAND_TOKENS };
  const root = readSource(text, problems);
  const parts = readParts(root, context);
  problems.throwIfAny();
  const { name, rules, otherwise, held } = parts;
  return {
    name: name ?? options.file,
    version: policyVersion(text),
    source: text,
    held,
    propose: (facts) => propose(rules, otherwise, facts),
  };
}

/** The version of a text: the same text has the same version, whatever the file's name or line ends. */
export function policyVersion(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return createHash('sha256').update(plain).digest('hex').slice(0, 16);
}

interface Parts {
  readonly name: string | null;
  readonly rules: readonly Rule[];
  readonly otherwise: PolicyOutcome;
  readonly held: PolicyFallback | null;
}

/** Stands where a part could not be read; `throwIfAny` ends the matter before it is used. */
const UNREADABLE: PolicyOutcome = { action: 'REVIEW', fallback: null };

function readParts(root: SourceNode, context: CompileContext): Parts {
  const { problems } = context;
  const nothing: Parts = { name: null, rules: [], otherwise: UNREADABLE, held: null };
  if (root.kind !== 'map') {
    problems.add(root.at, 'a policy begins with "rules:" and "otherwise:".');
    return nothing;
  }
  const entries = knownEntries(root, {
    words: ['name', 'rules', 'otherwise', 'held'],
    problems,
  });
  if (entries === undefined) return nothing;
  if (entries.otherwise === undefined) {
    problems.add(root.at, '"otherwise" is missing: say what happens when no rule applies.');
  }
  return {
    name: entries.name === undefined ? null : readName(entries.name, problems),
    rules: readRules(root, entries.rules, context),
    otherwise:
      entries.otherwise === undefined
        ? UNREADABLE
        : (compileOutcome(entries.otherwise, problems) ?? UNREADABLE),
    held: entries.held === undefined ? null : readHeld(entries.held, problems),
  };
}

function readHeld(node: SourceNode, problems: Problems): PolicyFallback | null {
  const fallback = compileFallback(node, problems);
  if (fallback === undefined) return null;
  if (fallback.answer.action === 'ACCEPT_DISPUTE') return fallback;
  problems.add(node.at, '"held" may fall back to ACCEPT_DISPUTE only: a guard held the refund.');
  return null;
}

function readRules(
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
  const entries = knownEntries(node, { words: ['name', 'when', 'then'], problems });
  if (entries === undefined) return undefined;
  const { name, when, then } = entries;
  if (name === undefined) problems.add(node.at, 'this rule has no "name".');
  if (when === undefined) {
    problems.add(node.at, 'this rule has no "when". For all other alerts use "otherwise".');
  }
  if (then === undefined) problems.add(node.at, 'this rule has no "then".');
  const text = name === undefined ? null : readName(name, problems);
  const condition = when === undefined ? undefined : compileConditions(when, context);
  const outcome = then === undefined ? undefined : compileOutcome(then, problems);
  if (text === null || condition === undefined || outcome === undefined) return undefined;
  return { name: text, line: node.at.line, when: condition, outcome };
}

function readName(node: SourceNode, problems: Problems): string | null {
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

/** The first rule that plainly applies; every rule before it leaves a trace of why it did not. */
function propose(
  rules: readonly Rule[],
  otherwise: PolicyOutcome,
  facts: DecisionFacts,
): PolicyProposal {
  const trace: RuleTrace[] = [];
  let chosen: { readonly rule: Rule; readonly why: string } | undefined;
  for (const rule of rules) {
    const { name, line } = rule;
    if (chosen !== undefined) {
      trace.push({ rule: name, line, result: 'not reached', why: 'an earlier rule applies' });
      continue;
    }
    const { truth, why } = evaluate(rule.when, facts);
    trace.push({ rule: name, line, result: truth, why });
    if (truth === 'yes') chosen = { rule, why };
  }
  return chosen === undefined
    ? { outcome: otherwise, rule: null, because: 'no rule applies', trace, sideActions: [] }
    : {
        outcome: chosen.rule.outcome,
        rule: chosen.rule.name,
        because: chosen.why,
        trace,
        sideActions: [],
      };
}
