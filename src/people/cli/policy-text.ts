/** What the `policy` commands print for people. Pure. */
import type { PolicyOutcome } from '../../alerts/decide/policy.ts';
import { counted } from '../../base/kernel/counted.ts';
import type { RuleFinding } from '../../policy/analyse.ts';
import type { LogFinding } from '../../policy/analyse-log.ts';
import { LOG_ALERTS_MIN, LOG_DAYS } from '../../policy/analyse-log.ts';
import type { ExampleResult } from '../../policy/examples.ts';
import type { Explanation } from '../../policy/explain.ts';
import type { PolicyField } from '../../policy/field-kinds.ts';
import type { LoadedPolicy } from '../../policy/load.ts';
import type { ListedVersion } from '../../policy/version.store.ts';
import { table } from '../../surface/terminal/lined-up.ts';

export type CheckFinding = RuleFinding | LogFinding;

/** What the log of the last days was asked. */
export type LookedAtLog =
  | { readonly alerts: number; readonly findings: readonly LogFinding[] }
  /** It could not be looked at. */
  | { readonly alerts: null; readonly because: string; readonly findings: readonly [] };

/** A file without faults, and what a careful reader would still notice. */
export function showCheck(
  policy: LoadedPolicy,
  findings: readonly CheckFinding[],
  log: LookedAtLog,
): string {
  const { name, version, rules, examples, asked } = policy;
  const notes = notesOn(policy);
  return [
    `${name}: ${counted(rules.length, 'rule')}, ${counted(examples.length, 'example')}, version ${version}.`,
    asked.length === 0 ? 'It asks about nothing.' : `It asks about ${asked.join(', ')}.`,
    ...notes.map((note) => `Note: ${note}`),
    ...findings.map(({ line, text }) => `Line ${line}: ${text}`),
    logText(log),
  ].join('\n');
}

function logText(log: LookedAtLog): string {
  const what = 'for conditions that were never known, and for thresholds that no alert came near';
  if (log.alerts === null) {
    return `The last ${LOG_DAYS} days were not looked at, ${what}: ${log.because}`;
  }
  if (log.alerts < LOG_ALERTS_MIN) {
    return `Of the last ${LOG_DAYS} days ${counted(log.alerts, 'decided alert')} ${log.alerts === 1 ? 'is' : 'are'} too few to look at, ${what}: from ${LOG_ALERTS_MIN} on.`;
  }
  return `${counted(log.alerts, 'alert')} of the last ${LOG_DAYS} days ${log.alerts === 1 ? 'was' : 'were'} looked at, ${what}.`;
}

function notesOn({ rules, otherwise, held }: LoadedPolicy): string[] {
  const isOpen = (outcome: PolicyOutcome): boolean =>
    outcome.action === 'REVIEW' && outcome.fallback === null;
  const open = rules.filter(({ outcome }) => isOpen(outcome)).map(({ name }) => `rule "${name}"`);
  if (isOpen(otherwise)) open.push('"otherwise"');
  const notes = open.map(
    (what) =>
      `${what} leads to a review without a fallback: unless a person decides, it is missed.`,
  );
  if (held === null) {
    notes.push('there is no "held": what a guard holds has no fallback unless its rule names one.');
  }
  return notes;
}

/** How the examples went, and which rules none of them reaches. */
export function showExamples(
  { rules, examples }: LoadedPolicy,
  results: readonly ExampleResult[],
): string {
  if (examples.length === 0) {
    return 'The policy has no examples. Write them under "examples:", each with given and expect.';
  }
  const lines = results.flatMap(({ name, line, faults, proposal }) => [
    `${faults.length === 0 ? 'ok  ' : 'FAIL'}  ${name} (line ${line})`,
    ...faults.map((fault) => `      ${fault}`),
    ...(faults.length === 0
      ? []
      : proposal.trace
          .filter(({ result }) => result !== 'not reached')
          .map(({ rule, result, why }) => `      ${result}: ${rule}, because ${why}`)),
  ]);
  const reached = new Set(results.map(({ proposal }) => proposal.rule));
  const untried = rules.filter(({ name }) => !reached.has(name)).map(({ name }) => `"${name}"`);
  const failed = results.filter(({ faults }) => faults.length > 0).length;
  return [
    ...lines,
    `${counted(results.length, 'example')}, ${failed === 0 ? 'all as expected' : `${failed} not as expected`}.`,
    ...(untried.length === 0 ? [] : [`No example reaches ${untried.join(', ')}.`]),
  ].join('\n');
}

/** Every condition with what it is. */
export function showWords(fields: readonly PolicyField[]): string {
  return table(fields.map(({ name, kind, about }) => [name, kind, about]));
}

/** Every version, the one in force marked. */
export function showVersions(versions: readonly ListedVersion[]): string {
  if (versions.length === 0) return 'No policy has decided or come into force yet.';
  return table([
    ['', 'Version', 'Name', 'Author', 'In force since', 'Decisions'],
    ...versions.map((each) => [
      each.inForce ? '*' : ' ',
      each.version,
      each.name,
      each.author ?? '-',
      each.activatedAt?.toISOString() ?? 'never',
      each.decisions,
    ]),
  ]);
}

export interface ExplainedAlert {
  readonly alertId: string;
  readonly decidedBy: string;
  readonly decidedAt: string;
  readonly sentence: string;
  readonly policy: {
    readonly version: string;
    readonly name: string;
    readonly author: string | null;
    /** Whose it is, where several layers may have one. */
    readonly layer: string | null;
  } | null;
  /** What the policy had said, where somebody else decided after it. */
  readonly policySentence: string | null;
  readonly sideActions: readonly string[];
  readonly beside: { readonly version: string; readonly sentence: string } | null;
  /** Null: nothing is stored that could be explained. */
  readonly explanation: Explanation | null;
}

export function showExplanation(alert: ExplainedAlert): string {
  const { alertId, decidedAt, decidedBy, policy, explanation } = alert;
  const by = policy?.author == null ? '' : `, by ${policy.author}`;
  const whose = policy?.layer == null ? '' : ` of the ${policy.layer}`;
  const parts = [
    `Alert ${alertId}, decided by ${decidedBy} at ${decidedAt}`,
    alert.sentence,
    ...(alert.policySentence === null ? [] : [`Before that: ${alert.policySentence}`]),
    ...(policy === null
      ? []
      : [`Policy "${policy.name}"${whose}, version ${policy.version}${by}.`]),
    ...(alert.sideActions.length === 0 ? [] : [`Besides: ${alert.sideActions.join(', ')}.`]),
    ...(alert.beside === null
      ? []
      : [`Version ${alert.beside.version}, judged beside it: ${alert.beside.sentence}`]),
  ];
  if (explanation === null) {
    parts.push('No rules are stored with this decision that could be explained.');
    return parts.join('\n');
  }
  return [...parts, '', ...explained(explanation)].join('\n');
}

function explained({ proposed, rules, guards, changes }: Explanation): string[] {
  const silent = guards.filter(({ verdict }) => verdict === 'did not speak');
  const spoke = guards.filter(({ verdict }) => verdict === 'spoke');
  const unasked = guards.filter(({ verdict }) => verdict === 'not asked');
  const names = (verdicts: typeof guards): string => verdicts.map(({ guard }) => guard).join(', ');
  return [
    `The policy proposed ${proposed}.`,
    ...rules.map(
      ({ rule, line, result, why }) => `  ${result.padEnd(11)}  ${rule} (line ${line}): ${why}`,
    ),
    '',
    'Guards',
    ...spoke.map(({ guard, why }) => `  spoke: ${guard}${why === null ? '' : `, because ${why}`}`),
    ...(silent.length === 0 ? [] : [`  did not speak: ${names(silent)}`]),
    ...(unasked.length === 0 ? [] : [`  not asked: ${names(unasked)}`]),
    '  Caps, the breaker, the pause and approvals are looked at when the money is sent.',
    '',
    'What would change it',
    ...(changes.length === 0
      ? ['  Nothing in the policy.']
      : changes.map((change) => `  ${change}`)),
  ];
}
