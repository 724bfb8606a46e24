/**
 * Compares the files of an estate with what the service holds, and plans the calls that bring the
 * service there.
 *
 * What the service cannot do (remove a descriptor, change an RDR enrolment, delete a merchant that has
 * enrolments) is a problem of the plan, never a step that does nothing. Order: merchants, then
 * enrolments each followed at once by its rulesets, then what goes.
 */
import { counted } from '../../../base/kernel/counted.ts';
import type { FilePosition, FileProblem } from '../../../base/kernel/yaml-text.ts';
import type { Applied } from './applied-file.ts';
import type { RulesetContent } from './content.ts';
import { digestOf, rulesetOfService } from './content.ts';
import type { Drift } from './drift.ts';
import { driftSince } from './drift.ts';
import type { Estate } from './estate.ts';
import { checkLosesLastRuleset, judgeWidth, noteUncovered } from './judge-width.ts';
import { findUnknown } from './known-ruleset.ts';
import type { Matched } from './match-estate.ts';
import { matchEstate } from './match-estate.ts';
import { planEnrolments, planMerchants, planRemovals } from './plan-entries.ts';
import type { RulesetChange } from './plan-rulesets.ts';
import { planRulesets } from './plan-rulesets.ts';
import type { RemoteEstate } from './remote-estate.ts';
import { disputeText, driftSentence, sentenceOf } from './sentences.ts';
import type { Mark, PlannedStep, RulesetStep, Step } from './step.ts';

/** What a person must allow by name. */
export interface PlanOptions {
  /** An RDR enrolment may lose its last ruleset, so that RDR refunds every eligible dispute. */
  readonly allowRefundEverything?: boolean | undefined;
  /** More than 30 % of what exists may change or go. */
  readonly allowMany?: boolean | undefined;
  /** What was changed elsewhere since the last apply may be changed back. */
  readonly overwrite?: boolean | undefined;
  /** What the last apply left. Without it it cannot be told who changed what. */
  readonly applied?: Applied | undefined;
}

/** What is to be done. */
export interface EstatePlan {
  /** Empty as long as there are problems. */
  readonly steps: readonly PlannedStep[];
  /** Each must be mended before anything is applied. */
  readonly problems: readonly FileProblem[];
  /** Worth knowing; nothing is done about it. */
  readonly notes: readonly string[];
  /** Of everything that was read: a saved plan is applied to the same only. */
  readonly remoteDigest: string;
  readonly matched: Matched;
}

/** Plans. Pure. */
export function planEstate(
  estate: Estate,
  remote: RemoteEstate,
  options: PlanOptions = {},
): EstatePlan {
  const matched = matchEstate(estate, remote);
  const found = { problems: [...matched.problems], notes: [...matched.notes] };
  const merchants = planMerchants(estate, remote, { matched, ...found });
  const enrolments = planEnrolments(estate, { matched, ...found });
  const top = topOf(estate);
  const changes = rulesetChanges(estate, matched);
  const unknown = findUnknown(matched, changes, top);
  found.problems.push(...unknown.problems);
  found.notes.push(...unknown.notes);
  const rulesets =
    unknown.problems.length > 0
      ? []
      : planRulesets(changes, {
          unchanged: estate.unlisted === 'keep' ? unlistedContents(matched) : new Map(),
          isRdr: rdrEnrolments(matched),
        });
  const removals =
    estate.unlisted === 'remove' ? planRemovals(remote, { matched, ...found }, top) : [];
  const isDelete = ({ kind }: RulesetStep): boolean => kind === 'delete_ruleset';
  const steps = [
    ...merchants,
    ...interleave(
      enrolments,
      rulesets.filter((step) => !isDelete(step)),
    ),
    ...rulesets.filter(isDelete),
    ...removals,
  ];
  if (options.allowRefundEverything !== true) {
    found.problems.push(...checkLosesLastRuleset(steps, matched, top));
  }
  if (options.allowMany !== true) found.problems.push(...checkShare(steps, remote, top));
  const drift =
    options.applied === undefined ? [] : driftSince(options.applied, { estate, remote, matched });
  if (options.overwrite !== true)
    found.problems.push(...checkDrift(drift, positionsOf(estate), top));
  found.notes.push(...noteUncovered(steps, matched));
  if (estate.unlisted === 'keep') found.notes.push(...unlistedNotes(matched));
  found.notes.push(...drift.filter(({ isConflict }) => !isConflict).map(driftSentence));
  return {
    steps: found.problems.length > 0 ? [] : withMarks(steps, matched),
    ...found,
    remoteDigest: digestOf(remoteContents(remote)),
    matched,
  };
}

/** Problems of the whole point at the beginning of the main file. */
function topOf({ merchants, enrolments, rulesets }: Estate): FilePosition {
  const file = [...merchants, ...enrolments, ...rulesets][0]?.at.file ?? 'estate.yaml';
  return { file, line: 1, column: 1 };
}

function rulesetChanges(estate: Estate, matched: Matched): RulesetChange[] {
  const organisations = new Map(
    estate.merchants.map(({ key, organisation }) => [key, organisation ?? estate.organisation]),
  );
  const organisationOf = new Map(
    estate.enrolments.map(({ key, merchants: [first = ''] }) => [
      key,
      organisations.get(first) ?? estate.organisation,
    ]),
  );
  const listed = matched.rulesets.map(
    ({ entry, wanted, remote, held }): RulesetChange => ({
      key: entry.key,
      organisation: organisationOf.get(entry.enrolments[0] ?? '') ?? estate.organisation,
      id: remote?.id,
      rules: remote?.rules ?? [],
      before: held,
      after: wanted,
    }),
  );
  const leaving = estate.unlisted === 'remove' ? matched.unlisted.rulesets : [];
  const gone = [...matched.superseded, ...leaving].map(
    (ruleset): RulesetChange => ({
      key: ruleset.id,
      organisation: ruleset.organisation_id,
      id: ruleset.id,
      before: rulesetOfService(ruleset, matched.keyOfEnrolment),
    }),
  );
  return [...listed, ...gone];
}

function unlistedContents({ unlisted, keyOfEnrolment }: Matched): Map<string, RulesetContent> {
  return new Map(
    unlisted.rulesets.map((ruleset) => [ruleset.id, rulesetOfService(ruleset, keyOfEnrolment)]),
  );
}

/** Whether a key or an id names an RDR enrolment. */
function rdrEnrolments({ enrolments, unlisted }: Matched): (enrolment: string) => boolean {
  const names = new Set([
    ...enrolments.filter(({ wanted }) => wanted.type === 'NETB_RDR').map(({ entry }) => entry.key),
    ...unlisted.enrolments.filter(({ type }) => type === 'NETB_RDR').map(({ id }) => id),
  ]);
  return (enrolment) => names.has(enrolment);
}

/** Puts each new enrolment right before the first ruleset that names it. */
function interleave(enrolments: readonly Step[], rulesets: readonly RulesetStep[]): Step[] {
  const waiting = new Map(enrolments.map((step) => [step.key, step]));
  const steps: Step[] = [];
  for (const ruleset of rulesets) {
    const { enrolments: needed } =
      ruleset.kind === 'create_ruleset' ? ruleset.content : afterOf(ruleset);
    for (const key of needed) {
      const step = waiting.get(key);
      if (step?.kind !== 'create_enrolment') continue;
      steps.push(step);
      waiting.delete(key);
    }
    steps.push(ruleset);
  }
  return [...steps, ...waiting.values()];
}

function afterOf(step: RulesetStep): { readonly enrolments: readonly string[] } {
  return 'after' in step ? step.after : { enrolments: [] };
}

/** The share of existing objects that may change or go without permission. */
const CHANGED_SHARE_MAX = 0.3;
/** With fewer objects a share says nothing. */
const COUNTED_MIN = 10;

function checkShare(
  steps: readonly Step[],
  remote: RemoteEstate,
  top: FilePosition,
): FileProblem[] {
  const existing =
    remote.merchants.length +
    remote.rulesets.length +
    remote.enrolments.filter(({ status }) => status !== 'CANCELLED').length;
  const changed = new Set(steps.flatMap((step) => ('id' in step ? [step.id] : []))).size;
  if (existing < COUNTED_MIN || changed <= existing * CHANGED_SHARE_MAX) return [];
  const message = `the plan changes or removes ${changed} of the ${existing} objects that exist, more than 30 %. Is it the right file and organisation? If it is meant, add --allow-many.`;
  return [{ ...top, message }];
}

/** What somebody else changed is never overwritten without a word. */
function checkDrift(drift: readonly Drift[], places: Places, top: FilePosition): FileProblem[] {
  return drift
    .filter(({ isConflict }) => isConflict)
    .map((change) => ({
      ...(places.get(`${change.kind} ${change.key}`) ?? top),
      message: `${driftSentence(change)} Take it into the file ("forestall estate import" shows it), or change it back with --overwrite.`,
    }));
}

type Places = ReadonlyMap<string, FilePosition>;

function positionsOf({ merchants, enrolments, rulesets }: Estate): Places {
  return new Map([
    ...merchants.map((merchant): [string, FilePosition] => [
      `merchant ${merchant.key}`,
      merchant.at,
    ]),
    ...enrolments.map((enrolment): [string, FilePosition] => [
      `enrolment ${enrolment.key}`,
      enrolment.at,
    ]),
    ...rulesets.map((ruleset): [string, FilePosition] => [`ruleset ${ruleset.key}`, ruleset.at]),
  ]);
}

function unlistedNotes({ unlisted, keyOfEnrolment, enrolments }: Matched): string[] {
  const counts = [
    [unlisted.merchants.length, 'merchant'],
    [unlisted.enrolments.filter(({ status }) => status !== 'CANCELLED').length, 'enrolment'],
    [unlisted.rulesets.length, 'ruleset'],
  ] as const;
  const parts = counts.flatMap(([count, name]) => (count === 0 ? [] : [counted(count, name)]));
  const listed = new Set(enrolments.map(({ entry }) => entry.key));
  const strays = unlisted.rulesets.flatMap((ruleset) =>
    ruleset.enrolment_ids
      .map(keyOfEnrolment)
      .filter((key) => listed.has(key))
      .map((key) => `Ruleset ${ruleset.id} applies to "${key}" as well, and no file names it.`),
  );
  return parts.length === 0
    ? []
    : [`Left alone: ${parts.join(', ')} at the service that no file names.`, ...strays];
}

/** Everything that was read, without times and statuses that change by themselves. */
export function remoteContents({ merchants, enrolments, rulesets }: RemoteEstate): object {
  return {
    merchants: merchants.map((merchant) => [
      merchant.id,
      merchant.name,
      merchant.type,
      merchant.external_id ?? null,
      merchant.default_representment_service_type ?? null,
    ]),
    enrolments: enrolments.map((enrolment) => [
      enrolment.id,
      enrolment.status === 'CANCELLED',
      enrolment.merchant_ids ?? [],
      (enrolment.neta_alert?.descriptors ?? []).map((entry) => [
        entry.descriptor,
        entry.match_type,
      ]),
      enrolment.netb_rdr ?? null,
    ]),
    rulesets: rulesets.map((ruleset) => [ruleset.id, rulesetOfService(ruleset, (id) => id)]),
  };
}

const IRREVERSIBLE: ReadonlySet<Step['kind']> = new Set([
  'delete_merchant',
  'create_enrolment',
  'append_descriptors',
  'cancel_enrolment',
]);

function withMarks(steps: readonly Step[], matched: Matched): PlannedStep[] {
  const wider = judgeWidth(steps, matched);
  const covered = new Set(matched.rulesets.flatMap(({ wanted }) => wanted.enrolments));
  const everything = new Map(
    matched.enrolments
      .filter(({ entry }) => !covered.has(entry.key))
      .map(({ entry }) => [entry.key, ' Without a ruleset RDR refunds every eligible dispute.']),
  );
  return steps.map((step, index): PlannedStep => {
    const example = wider.get(index);
    const plain: Mark = IRREVERSIBLE.has(step.kind) ? 'irreversible' : 'safe';
    if (example === undefined) return { step, mark: plain, sentence: sentenceOf(step) };
    const consequence =
      example === 'all'
        ? (everything.get(step.key) ?? '')
        : ` RDR may then refund a dispute ${disputeText(example)}.`;
    return { step, mark: 'widens RDR', sentence: sentenceOf(step) + consequence };
  });
}
