/**
 * Turns the text of a policy file into a policy, or into a list of everything that is wrong with it.
 *
 * @example
 * const policy = loadPolicy(await readFile(path, 'utf8'), { file: path });
 */
import { createHash } from 'node:crypto';
import type { ClaimSource } from '../alerts/cases/claim.ts';
import { CLAIM_SOURCES } from '../alerts/cases/claim.ts';
import type { EvidenceWords } from '../alerts/decide/evidence-words.ts';
import type { Explore } from '../alerts/decide/explore.ts';
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type {
  Policy,
  PolicyFallback,
  PolicyOutcome,
  PolicyProposal,
  RuleTrace,
  SideAction,
} from '../alerts/decide/policy.ts';
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import { issueWords } from '../base/kernel/issue-words.ts';
import type { RateTable } from '../base/kernel/rates.ts';
import { valueAt } from '../base/kernel/yaml-positions.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../service/wire/brand-tokens.ts';
import type { Condition } from './conditions.ts';
import { compileConditions, keepWrittenOrder, sourcesOf } from './conditions.ts';
import type { Finding } from './evaluate.ts';
import { evaluate } from './evaluate.ts';
import type { Example } from './examples.ts';
import { OTHERWISE, viewOfGiven } from './examples.ts';
import type { FactView } from './fact-view.ts';
import { viewOf } from './fact-view.ts';
import type { CompileContext } from './field-conditions.ts';
import { POLICY_FIELDS } from './fields.ts';
import { linesOf, readRates } from './head.ts';
import { problemsOf } from './problems.ts';
import { referenceProblems, unknownRules } from './references.ts';
import { languageBy } from './schema.ts';
import { PolicyError, readSource, refuseCardNumbers } from './source.ts';

/** Options of {@link loadPolicy}. */
export interface LoadPolicyOptions {
  /** What messages call it; names a policy that does not name itself. */
  readonly file: string;
  /** The service's real names, accepted as well as the neutral tokens. */
  readonly brands?: BrandTokenMap;
  /** The contents of the files it names, by path as it names them. See `referencedFiles`. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Rule {
  readonly name: string;
  readonly line: number;
  readonly when: Condition;
  readonly outcome: PolicyOutcome;
  readonly sideActions: readonly SideAction[];
  /** The claims it is about besides, or instead of, alerts. */
  readonly sources: readonly ClaimSource[];
}

/** What a policy's text comes to. */
export interface PolicyParts {
  readonly rules: readonly Rule[];
  readonly otherwise: PolicyOutcome;
  readonly timeZone: string;
  /** The merchant's own; null: nothing is converted. */
  readonly rates: RateTable | null;
  /** The words of every condition it uses. */
  readonly asked: readonly string[];
  readonly examples: readonly Example[];
}

/** A policy in the YAML language, with its parts for anyone who explains or tries it. */
export interface LoadedPolicy extends Policy, PolicyParts {}

/**
 * Reads a policy. Pure: the files it names are given, not read.
 *
 * @throws {PolicyError} listing every problem with file, line and column
 */
export function loadPolicy(text: string, options: LoadPolicyOptions): LoadedPolicy {
  const read = readParts(text, options);
  const { name, author, held, samePart, explore, evidence, ...parts } = read;
  return {
    ...parts,
    name: name ?? options.file,
    version: policyVersion(text, options.files),
    source: text,
    kind: 'yaml',
    author,
    files: options.files ?? {},
    held,
    samePart,
    ...(explore === undefined ? {} : { explore }),
    ...(evidence === undefined ? {} : { evidence }),
    sources: CLAIM_SOURCES.filter((source) =>
      parts.rules.some((rule) => rule.sources.includes(source)),
    ),
    propose: (facts: DecisionFacts) => proposeOn(parts, viewOf(facts, parts)),
  };
}

/**
 * The version of a text: the same text, with the same lists and rates, has the same version, whatever
 * the file's name or line ends.
 */
export function policyVersion(text: string, files: Readonly<Record<string, string>> = {}): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const hash = createHash('sha256').update(plain);
  for (const path of Object.keys(files).sort()) hash.update(`\0${path}\0${files[path] ?? ''}`);
  return hash.digest('hex').slice(0, 16);
}

interface ReadParts extends PolicyParts {
  readonly name: string | null;
  readonly author: string | null;
  readonly held: PolicyFallback | null;
  readonly samePart: SamePartRule;
  readonly explore: Explore | undefined;
  readonly evidence: EvidenceWords | undefined;
}

function readParts(text: string, options: LoadPolicyOptions): ReadParts {
  const { files = {}, brands = IDENTITY_BRAND_TOKENS } = options;
  const source = readSource(text, options.file);
  refuseCardNumbers(files);
  const read = languageBy(brands).safeParse(source.data, { error: issueWords });
  const problems = [
    ...(read.success ? [] : problemsOf(read.error, source)),
    ...referenceProblems(source, files),
  ];
  if (!read.success || problems.length > 0) throw new PolicyError(problems);
  const strangers = unknownRules(read.data, source);
  if (strangers.length > 0) throw new PolicyError(strangers);
  const { data } = read;
  const lists = Object.entries(data.lists ?? {}).map(([name, named]): [string, string[]] => [
    name,
    typeof named === 'string' ? linesOf(files[named] ?? '') : named,
  ]);
  const { rates = null } = data;
  const context: CompileContext = {
    lists: new Map(lists),
    rates: typeof rates === 'string' ? readRates(files[rates] ?? '', rates) : rates,
    asked: new Set(),
  };
  const rules = data.rules.map(({ name, when, then, also = [] }, index): Rule => {
    keepWrittenOrder(when, valueAt(source.data, ['rules', index, 'when']));
    const condition = compileConditions(when, context);
    const { line } = source.positionOf(['rules', index]);
    const sources = sourcesOf(condition);
    return { name, line, when: condition, outcome: then, sideActions: also, sources };
  });
  const examples = (data.examples ?? []).map(
    ({ given, rule, also, ...example }, index): Example => {
      const { line } = source.positionOf(['examples', index]);
      const isRule = rules.some(({ name }) => name === rule);
      return {
        ...example,
        line,
        given: viewOfGiven(given),
        rule: rule === OTHERWISE && !isRule ? null : rule,
        also,
      };
    },
  );
  return {
    name: data.name ?? null,
    author: data.author ?? null,
    timeZone: data.timezone ?? 'UTC',
    rates: context.rates,
    rules,
    otherwise: data.otherwise,
    held: data.held ?? null,
    samePart: data.same_part ?? 'REVIEW',
    explore: data.explore,
    evidence: data.evidence,
    examples,
    asked: [...context.asked].sort(),
  };
}

const NOT_ABOUT: Finding = { truth: 'no', why: 'the rule names no such source' };

/** A rule is about alerts, unless it names other sources. */
function isAbout({ sources }: Rule, view: FactView): boolean {
  const field = POLICY_FIELDS.get('source');
  const word = field?.kind === 'word' ? view.word(field) : null;
  const source = CLAIM_SOURCES.find((each) => each.toLowerCase() === word);
  return source === undefined || sources.includes(source);
}

/** The first rule that plainly applies; every rule before it leaves a trace of why it did not. */
export function proposeOn(
  { rules, otherwise }: Pick<PolicyParts, 'rules' | 'otherwise'>,
  view: FactView,
): PolicyProposal {
  const trace: RuleTrace[] = [];
  let chosen: { readonly rule: Rule; readonly why: string } | undefined;
  for (const rule of rules) {
    const { name, line } = rule;
    if (chosen !== undefined) {
      trace.push({ rule: name, line, result: 'not reached', why: 'an earlier rule applies' });
      continue;
    }
    const { truth, why } = isAbout(rule, view) ? evaluate(rule.when, view) : NOT_ABOUT;
    trace.push({ rule: name, line, result: truth, why });
    if (truth === 'yes') chosen = { rule, why };
  }
  if (chosen === undefined) {
    return { outcome: otherwise, rule: null, because: 'no rule applies', trace, sideActions: [] };
  }
  const { rule, why } = chosen;
  const { outcome, sideActions } = rule;
  return { outcome, rule: rule.name, because: why, trace, sideActions };
}
