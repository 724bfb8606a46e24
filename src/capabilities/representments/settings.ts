/** The settings of representments. Every command reads them: only what opens the file is loaded. */
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import { pathVariable, settingOfParts, textVariable } from '../../base/kernel/setting.ts';
import { parseAmount } from '../../base/kernel/units.ts';
import type { FilingSetting } from './filing/when.ts';
import type { PackRules } from './pack-rules.ts';
import { openPackRules, openTriedRules, withTried } from './pack-rules.ts';

export const evidencePacks = settingOfParts(
  {
    own: pathVariable({
      name: 'FORESTALL_EVIDENCE_PACKS',
      says: 'path of your file that says what each reason code asks for',
      byDefault: 'the one that comes with it',
    }),
    tried: pathVariable({
      name: 'FORESTALL_EVIDENCE_PACKS_TRIED',
      says: 'path of another such file, by which the disputes of every second customer are answered, to see which wins more',
      byDefault: 'none',
    }),
  },
  ({ own, tried }): PackRules => {
    const rules = openPackRules(own);
    return tried === undefined ? rules : withTried(rules, openTriedRules(tried));
  },
);

const MODES = ['off', 'by_hand', 'complete'] as const;

const MARGIN_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Undefined: evidence is not filed at the processor, and its disputes are not read, whatever a policy says. */
export const filing = settingOfParts(
  {
    mode: textVariable({
      name: 'FORESTALL_FILING',
      key: 'filing.mode',
      type: z.enum(MODES, { error: 'must be off, by_hand or complete' }),
      says: 'hands evidence in at the processor: `by_hand` when a person says so, `complete` also by itself where a pack lacks nothing, `off` never; it goes before the policy',
      byDefault: 'as `evidence` of the policy says, else off',
    }),
    margin: textVariable({
      name: 'FORESTALL_FILING_MARGIN_HOURS',
      key: 'filing.margin_hours',
      type: z.string().regex(/^\d{1,3}$/, { error: 'must be whole hours, for example 24' }),
      says: 'how many hours before it is due evidence goes by itself',
      byDefault: String(MARGIN_HOURS),
    }),
    secondPersonAbove: textVariable({
      name: 'FORESTALL_FILING_SECOND_PERSON_ABOVE',
      key: 'filing.second_person_above',
      type: z
        .string()
        .regex(/^\d+(?:\.\d+)? [A-Z]{3}$/, { error: 'must be a sum, for example 500.00 EUR' }),
      says: 'above this sum a person must agree before evidence goes, for example 500.00 EUR; above it, another one than who asked',
      byDefault: 'no sum',
    }),
  },
  ({ mode, margin, secondPersonAbove: above }): FilingSetting | undefined => {
    const isMode = MODES.find((each) => each === mode);
    if (isMode === undefined && mode !== undefined) {
      throw new ConfigError(`FORESTALL_FILING must be ${MODES.join(', ')}.`);
    }
    const hours = margin === undefined ? MARGIN_HOURS : Number(margin);
    if (!Number.isInteger(hours) || hours < 0) {
      throw new ConfigError('FORESTALL_FILING_MARGIN_HOURS must be whole hours, for example 24.');
    }
    const sum = above === undefined ? undefined : parseAmount(above);
    if (sum?.ok === false) {
      throw new ConfigError(`FORESTALL_FILING_SECOND_PERSON_ABOVE: ${sum.message}`);
    }
    if (isMode === 'off') return undefined;
    const secondPersonAbove = sum?.value ?? null;
    return { mode: isMode ?? null, marginMs: hours * HOUR_MS, secondPersonAbove };
  },
);

export interface RepresentmentOptions {
  /** Path of a file with the packs of evidence for contested disputes. @default those that come with Forestall */
  readonly evidencePacks?: string;
  /** Path of another such file, by which the disputes of every second customer are answered. @default none */
  readonly evidencePacksTried?: string;
  /** Hands evidence in at the processor, where it takes evidence. @default as `evidence` of the policy says, else off */
  readonly filing?: {
    readonly mode?: (typeof MODES)[number];
    /** Whole hours. @default '24' */
    readonly marginHours?: string;
    /** For example `500.00 EUR`. @default no sum */
    readonly secondPersonAbove?: string;
  };
}
