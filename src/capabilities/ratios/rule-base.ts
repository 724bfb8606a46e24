/**
 * The rules of the monitoring programmes as a thing of their own: what there is, what one file says with its sources, and
 * whether files agree with each other. Pure.
 */
import type { Line, Programme } from './programme.ts';
import { familyOf, isInForce, isJudgeable, unsourced } from './programme.ts';

/** What a file says, one number a row, each with where it was read and how sure it is. */
export interface Fact {
  readonly what: string;
  readonly value: string;
  /** Undefined: the file names none. */
  readonly confidence: Line['confidence'] | undefined;
  readonly source: string | undefined;
}

const LINE_NUMBERS = [
  'ratio_percent',
  'count',
  'base_count',
  'amount_above_usd',
  'amount_usd',
  'three_d_secure_below_percent',
] as const satisfies readonly (keyof Line)[];

/** Every number and every rule of a file. */
export function factsOf(programme: Programme): Fact[] {
  const { sources = {}, readings, lines } = programme;
  const fields = [
    ['regions', programme.regions?.join(' ')],
    ['valid_from', programme.valid_from],
    ['valid_to', programme.valid_to ?? undefined],
    ['base', programme.base],
    ['dated_by', programme.dated_by?.join(' ')],
    ['rolling_days', programme.rolling_days],
    ['clean_months', programme.clean_months],
  ] as const;
  return [
    ...fields.flatMap(([what, value]): Fact[] => {
      const { confidence, source } = sources[what] ?? {};
      return value === undefined ? [] : [{ what, value: String(value), confidence, source }];
    }),
    ...readings.map(
      ({ name, counts, confidence, source }): Fact => ({
        what: `reading "${name}"`,
        value: counts.join(' + '),
        confidence,
        source,
      }),
    ),
    ...lines.flatMap(lineFacts),
  ];
}

function lineFacts(line: Line): Fact[] {
  const { name, confidence, source, consequence, consequence_source } = line;
  const numbers = LINE_NUMBERS.flatMap((what): Fact[] =>
    line[what] === undefined
      ? []
      : [{ what: `line "${name}" ${what}`, value: String(line[what]), confidence, source }],
  );
  if (consequence === undefined) return numbers;
  return [
    ...numbers,
    { what: `line "${name}" consequence`, value: consequence, ...orUnknown(consequence_source) },
  ];
}

function orUnknown(sourced: Line['consequence_source']): Pick<Fact, 'confidence' | 'source'> {
  return { confidence: sourced?.confidence, source: sourced?.source };
}

/** Those that hold on a day, YYYY-MM-DD; in a region, where one is asked for. */
export function programmesOn(
  programmes: readonly Programme[],
  day: string,
  region: string | undefined,
): readonly Programme[] {
  return programmes.filter((each) => isInForce(each, day, region));
}

/** What is wrong between files, and what could be better in each. */
export interface RuleBaseCheck {
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/** Compares files with each other; each by itself was read already. */
export function checkRuleBase(programmes: readonly Programme[]): RuleBaseCheck {
  return {
    faults: [...overlaps(programmes), ...programmes.flatMap(lineOrder)],
    notes: programmes.flatMap((programme) =>
      unsourced(programme).map((what) => `${programme.id}: ${what} names no source.`),
    ),
  };
}

/** Two files of one programme that hold on one day in one region contradict each other. */
function overlaps(programmes: readonly Programme[]): string[] {
  return programmes.flatMap((one, index) =>
    programmes.slice(index + 1).flatMap((other) => {
      const from = one.valid_from > other.valid_from ? one.valid_from : other.valid_from;
      const isBoth = familyOf(one) === familyOf(other) && share(one, other);
      if (!isBoth || !isInForce(one, from, undefined) || !isInForce(other, from, undefined)) {
        return [];
      }
      return [
        `${one.id} and ${other.id} both say the rules of "${familyOf(one)}" from ${from} on. Give the earlier one a valid_to, or one of them other regions.`,
      ];
    }),
  );
}

function share({ regions: own }: Programme, { regions: others }: Programme): boolean {
  return own === undefined || others === undefined || own.some((each) => others.includes(each));
}

/** The lines are in order, the mildest first, because the last one that is crossed is the one that is said. */
function lineOrder(programme: Programme): string[] {
  if (!isJudgeable(programme)) return [];
  const isMilder = (one: Line, other: Line): boolean =>
    (one.ratio_percent ?? 0) <= (other.ratio_percent ?? 0) ||
    (one.count ?? 0) <= (other.count ?? 0);
  return programme.lines.flatMap((line, index) => {
    const next = programme.lines[index + 1];
    return next === undefined || isMilder(line, next)
      ? []
      : [
          `${programme.id}: line "${line.name}" stands before "${next.name}", which is milder. Put the mildest first.`,
        ];
  });
}
