/** What a look at an estate shows to people: bounded, in words, without values of variables. */
import { z } from 'zod';
import { enrolmentOfService, rulesetOfService } from './plan/content.ts';
import type { EstateState } from './plan/estate-state.ts';
import type { RemoteEstate } from './plan/remote-estate.ts';
import { disputeText, driftSentence, programmeText, rulesetText } from './plan/sentences.ts';
import { forecastOf, MARKS } from './plan/step.ts';
import { progressOf } from './plan/waiting.ts';

/** How many of each list are shown; the counts are of all. */
export const SHOWN_MAX = 200;

const named = { id: z.string(), key: z.string().nullable() };

/** As it is stored. */
export const estatePictureSchema = z.object({
  counts: z.object({ merchants: z.int(), enrolments: z.int(), rulesets: z.int() }),
  merchants: z.array(z.object({ ...named, name: z.string(), type: z.string() })),
  enrolments: z.array(
    z.object({
      ...named,
      type: z.string(),
      programme: z.string(),
      merchants: z.array(z.string()),
      status: z.string(),
      stage: z.string(),
      note: z.string().nullable(),
      descriptors: z.object({ active: z.int(), all: z.int() }).nullable(),
      since: z.string(),
      /** RDR without a ruleset refunds every eligible dispute. */
      refundsEverything: z.boolean(),
    }),
  ),
  rulesets: z.array(z.object({ ...named, text: z.string() })),
  isNoted: z.boolean(),
  drift: z.array(z.object({ sentence: z.string(), isConflict: z.boolean() })),
  wider: z.array(z.object({ enrolment: z.string(), example: z.string() })),
  plan: z.object({
    steps: z.array(z.object({ sentence: z.string(), mark: z.enum(MARKS) })),
    marks: z.record(z.enum(MARKS), z.int()),
    calls: z.int(),
    durationMs: z.number(),
    /** Conflicts are under `drift`. */
    problems: z.array(z.string()),
    notes: z.array(z.string()),
  }),
});
export type EstatePicture = z.infer<typeof estatePictureSchema>;

/** Draws it. Enrolments that are not live come first. Pure. */
export function pictureOf(state: EstateState, remote: RemoteEstate): EstatePicture {
  const { plan, isNoted, drift, wider, notApplied } = state;
  const conflicts = drift.filter(({ isConflict }) => isConflict).map(driftSentence);
  // While something is in the way a plan has no steps; what the file wants is worth showing anyway.
  const steps = plan.problems.length > 0 ? notApplied : plan.steps;
  const enrolments = remote.enrolments.filter(({ status }) => status !== 'CANCELLED');
  const { calls, durationMs } = forecastOf(steps);
  const countOf = (mark: (typeof MARKS)[number]): number =>
    steps.filter((step) => step.mark === mark).length;
  return {
    counts: {
      merchants: remote.merchants.length,
      enrolments: enrolments.length,
      rulesets: remote.rulesets.length,
    },
    ...shownObjects(state, { ...remote, enrolments }),
    isNoted,
    drift: drift
      .slice(0, SHOWN_MAX)
      .map((change) => ({ sentence: driftSentence(change), isConflict: change.isConflict })),
    wider: wider
      .slice(0, SHOWN_MAX)
      .map(({ enrolment, example }) => ({ enrolment, example: disputeText(example) })),
    plan: {
      steps: steps.slice(0, SHOWN_MAX).map(({ sentence, mark }) => ({ sentence, mark })),
      marks: {
        safe: countOf('safe'),
        irreversible: countOf('irreversible'),
        'widens RDR': countOf('widens RDR'),
      },
      calls,
      durationMs,
      problems: plan.problems
        .filter(({ message }) => !conflicts.some((conflict) => message.startsWith(conflict)))
        .slice(0, SHOWN_MAX)
        .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`),
      notes: plan.notes.slice(0, SHOWN_MAX),
    },
  };
}

function shownObjects(
  { plan: { matched } }: EstateState,
  { merchants, enrolments, rulesets }: RemoteEstate,
): Pick<EstatePicture, 'merchants' | 'enrolments' | 'rulesets'> {
  const { keyOfMerchant, keyOfEnrolment } = matched;
  const keysOfRulesets = new Map(
    matched.rulesets.flatMap(({ entry, remote }) => (remote ? [[remote.id, entry.key]] : [])),
  );
  const orNull = (key: string, id: string): string | null => (key === id ? null : key);
  const covered = new Set(rulesets.flatMap((ruleset) => ruleset.enrolment_ids));
  const ways = enrolments.map((enrolment) => {
    const { id, type } = enrolment;
    const content = enrolmentOfService(enrolment, keyOfMerchant);
    const { status, stage, note, descriptors, since } = progressOf(id, enrolment);
    return {
      ...{ id, key: orNull(keyOfEnrolment(id), id), type, programme: programmeText(content) },
      ...{
        merchants: content.merchants.slice(0, SHOWN_MAX),
        status,
        stage,
        note,
        descriptors,
        since,
      },
      refundsEverything: type === 'NETB_RDR' && !covered.has(id),
    };
  });
  const isLive = ({ stage }: { readonly stage: string }): number => Number(stage === 'enabled');
  return {
    merchants: merchants
      .slice(0, SHOWN_MAX)
      .map(({ id, name, type }) => ({ id, key: orNull(keyOfMerchant(id), id), name, type })),
    enrolments: ways.sort((a, b) => isLive(a) - isLive(b)).slice(0, SHOWN_MAX),
    rulesets: rulesets.slice(0, SHOWN_MAX).map((ruleset) => ({
      id: ruleset.id,
      key: keysOfRulesets.get(ruleset.id) ?? null,
      text: rulesetText(rulesetOfService(ruleset, keyOfEnrolment)),
    })),
  };
}
