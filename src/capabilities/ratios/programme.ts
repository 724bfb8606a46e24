/**
 * A monitoring programme of a card scheme, or a platform's own line: a dated data file.
 *
 * What counts, against which payments, from which lines on: everything that changes with the year
 * or the region is in the file, with its source and how sure it is. A new year's rules are a new
 * file.
 *
 * @example
 * id: shop-platform-2026-01
 * name: Platform's own line
 * scheme: ANY
 * valid_from: 2026-01-28
 * per: organisation
 * base: same
 * rolling_days: 90
 * readings: [{name: all, says: "every dispute, and every RDR", counts: [dispute, dispute_of_fraud, rdr]}]
 * lines: [{name: own line, ratio_percent: 1, confidence: secondary, source: vendor page, next_step: "Answer open alerts."}]
 */
import { z } from 'zod';
import { readOnce, readYaml } from '../../base/kernel/setting-file.ts';

/** What can be counted. `dispute_of_fraud`: about a payment that has a fraud report, or said to be fraud. */
export const COUNTED = ['fraud', 'dispute', 'dispute_of_fraud', 'rdr'] as const;
export type Counted = (typeof COUNTED)[number];

/** How sure a line is: read in the scheme's own text; stated by vendors; or stated differently by several. */
const CONFIDENCES = ['primary', 'secondary', 'contradicted'] as const;

export const SCOPES = [
  'organisation',
  'merchant',
  'submerchant',
  'descriptor',
  'enrolment',
] as const;
export type ScopeKind = (typeof SCOPES)[number];

/** By which day a notice belongs to a month: when it was received, or when its issuer reported it. */
export const DATINGS = ['received', 'reported'] as const;
export type Dating = (typeof DATINGS)[number];

const text = z.string().min(1).max(1_000);
const word = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,59}$/, {
  error: 'must be lower-case letters, digits, dots and hyphens',
});
const day = z.iso.date();
const percent = z.number().positive().max(100);

/** Where a number was read, and how sure it is. */
const sourced = { confidence: z.enum(CONFIDENCES), source: text };

/** What of a file, besides its readings and lines, needs a source of its own. */
const SOURCED_FIELDS = [
  'regions',
  'valid_from',
  'valid_to',
  'base',
  'dated_by',
  'rolling_days',
  'clean_months',
] as const;

const readingSchema = z.strictObject({
  name: text.max(60),
  says: text,
  confidence: sourced.confidence.optional(),
  source: sourced.source.optional(),
  counts: z
    .array(z.enum(COUNTED))
    .min(1)
    .refine((list) => new Set(list).size === list.length, { error: 'names a thing twice' }),
});

const lineSchema = z
  .strictObject({
    name: text.max(60),
    /** At least so much of the base, by count. */
    ratio_percent: percent.optional(),
    /** At least so many counted in the period. */
    count: z.int().min(1).optional(),
    /** At least so many payments in the base. */
    base_count: z.int().min(1).optional(),
    /** More than this, in whole US dollars, of what is counted. */
    amount_above_usd: z.int().min(0).optional(),
    /** At least this, in whole US dollars, of what is counted. */
    amount_usd: z.int().min(1).optional(),
    /** Less than this share of the base went through 3-D Secure. */
    three_d_secure_below_percent: percent.optional(),
    ...sourced,
    /** What crossing it leads to. */
    consequence: text.optional(),
    /** Of the consequence, where it was read elsewhere than the numbers. */
    consequence_source: z.strictObject(sourced).optional(),
    /** What a person does about it. */
    next_step: text,
  })
  .refine(({ ratio_percent, count }) => ratio_percent !== undefined || count !== undefined, {
    error: 'has neither ratio_percent nor count',
  });

const programmeSchema = z
  .strictObject({
    id: word,
    /** What files of several dates and regions have in common; without it the id. */
    programme: word.optional(),
    name: text.max(80),
    scheme: z.enum(['SCHEME_A', 'SCHEME_B', 'ANY']),
    /** Regions of the acquirer; without any: everywhere. */
    regions: z
      .array(z.string().regex(/^[A-Z]{2,5}$/))
      .min(1)
      .optional(),
    /** While no region is set: whether the file is judged by, or shown only (without it). */
    without_region: z.enum(['judged', 'shown']).optional(),
    valid_from: day,
    /** The last day. */
    valid_to: day.nullish(),
    /** Whom the scheme judges. What it counts of a whole acquirer is nothing that we know: such a file is shown only. */
    per: z.enum([...SCOPES, 'acquirer']),
    /** Which month's payments are the base: of the month itself, or of the month before. */
    base: z.enum(['same', 'before']),
    /** By which day notices belong to a month; the first is judged by, the other is shown. Without it: received. */
    dated_by: z.array(z.enum(DATINGS)).min(1).max(2).optional(),
    /** Instead of months: this many days back from today. */
    rolling_days: z.int().min(7).max(365).optional(),
    /** Months without a breach until one is out of it. */
    clean_months: z.int().min(1).max(24).optional(),
    /** What counts: several where sources contradict, and each is shown. */
    readings: z.array(readingSchema),
    /** Mildest first. */
    lines: z.array(lineSchema),
    /** What no source at hand says, and is left out for that. */
    not_known: text.optional(),
    /** The source of the numbers next to the readings and lines. */
    sources: z.partialRecord(z.enum(SOURCED_FIELDS), z.strictObject(sourced)).optional(),
    note: text.optional(),
  })
  .refine(
    ({ readings, lines, not_known }) =>
      (readings.length > 0 && lines.length > 0) || not_known !== undefined,
    { error: 'has no readings or no lines, and no not_known that says why' },
  )
  .refine(({ base, rolling_days }) => rolling_days === undefined || base === 'same', {
    error: 'has rolling_days with the month before as its base',
  })
  .refine(({ valid_from, valid_to }) => valid_to == null || valid_to >= valid_from, {
    error: 'ends before it begins',
  });

export type Programme = z.infer<typeof programmeSchema>;
export type Reading = Programme['readings'][number];
export type Line = Programme['lines'][number];

/** Reads the text of a file. @throws {ConfigError} naming every place that is wrong */
export const readProgramme = readOnce(
  (content, file): Programme => readYaml(content, file, programmeSchema),
);

/** The JSON Schema of a file, for editors; published as `templates/programmes/programme.schema.json`. */
export function programmeJsonSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Monitoring programme',
    ...z.toJSONSchema(programmeSchema, { io: 'input' }),
  };
}

/** What files of several dates and regions have in common. */
export function familyOf({ programme, id }: Programme): string {
  return programme ?? id;
}

/** Whether merchants can be judged by it at all: what is counted of a whole acquirer is not known here. */
export function isJudgeable({ per, lines, readings }: Programme): boolean {
  return per !== 'acquirer' && lines.length > 0 && readings.length > 0;
}

/** Whether alarms and the policy go by it. One of certain regions is judged by where the region is set, or where it says so. */
export function isJudgedIn(programme: Programme, region: string | undefined): boolean {
  const { regions, without_region } = programme;
  const isOwn = regions === undefined || region !== undefined || without_region === 'judged';
  return isOwn && isJudgeable(programme);
}

/** What of the file has no source, by field. */
export function unsourced(programme: Programme): string[] {
  const { sources = {}, readings, lines } = programme;
  return [
    ...SOURCED_FIELDS.filter((field) => programme[field] != null && sources[field] === undefined),
    ...readings.flatMap(({ name, source, confidence }) =>
      source === undefined || confidence === undefined ? [`reading "${name}"`] : [],
    ),
    ...lines.flatMap(({ name, consequence, consequence_source }) =>
      consequence !== undefined && consequence_source === undefined
        ? [`consequence of line "${name}"`]
        : [],
    ),
  ];
}

/** Whether the file holds on a day, YYYY-MM-DD, in a region. Without a region every file of any region does. */
export function isInForce(
  { valid_from, valid_to, regions }: Programme,
  on: string,
  region: string | undefined,
): boolean {
  const isThere = regions === undefined || region === undefined || regions.includes(region);
  return isThere && valid_from <= on && (valid_to == null || on <= valid_to);
}
