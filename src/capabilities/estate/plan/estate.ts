/**
 * The estate file: the merchants, enrolments and rulesets that shall exist at the service.
 *
 * Everything has a `key`, a name of the merchant's own, by which the file refers to it. `id` is the
 * service's identifier: `import` writes it, and without one an entry is recognised by what the service
 * keeps of it (a merchant by its `external_id`, an enrolment by its descriptors or its BIN and CAID, a
 * ruleset by its content).
 */

import { z } from 'zod';
import { KitError } from '../../../base/kernel/errors.ts';
import { parseAmount } from '../../../base/kernel/units.ts';
import type { FilePosition, FileProblem } from '../../../base/kernel/yaml-text.ts';
import { inOrder, problemLines } from '../../../base/kernel/yaml-text.ts';
import { descriptorInputSchema, MATCH_TYPES } from '../../../service/wire/enrolment.ts';
import { AMOUNT_RULE_CURRENCY, EXTERNAL_ID_LENGTH_MAX } from '../../../service/wire/limits.ts';
import { REPRESENTMENT_SERVICE_TYPES } from '../../../service/wire/merchant.ts';
import {
  AMOUNT_OPERATORS,
  JOIN_OPERATORS,
  RULESET_OUTCOMES,
} from '../../../service/wire/ruleset.ts';

/** The files cannot be used. Lists everything that is wrong with them. */
export class EstateFileError extends KitError {
  readonly code = 'ESTATE_FILE';
  readonly retryable = false;
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problemLines(problems).join('\n'));
    this.problems = inOrder(problems);
  }
}

/** Longest key, in characters. */
const KEY_LENGTH_MAX = 250;

const key = z
  .string()
  .regex(/^[^\s]+$/, 'must be one word: it is how the file refers to this entry')
  .max(KEY_LENGTH_MAX)
  .describe('Your own name for this entry. The file refers to it by this name.');
const id = z.string().min(1).optional().describe('The identifier at the service.');
const organisation = z
  .string()
  .min(1)
  .optional()
  .describe('The organisation at the service. Default: the one at the top of the file.');
const keys = (kind: string): z.ZodArray<z.ZodString> =>
  z.array(z.string().min(1)).min(1).describe(`Keys of ${kind} in this file.`);

const merchantEntry = z.strictObject({
  key,
  id,
  organisation,
  name: z.string().min(1),
  type: z.string().min(1).describe('A merchant type that the service supports.'),
  external_id: z
    .string()
    .min(1)
    .max(EXTERNAL_ID_LENGTH_MAX)
    .nullable()
    .optional()
    .describe('Default: the key. null: none, so that the entry needs its id.'),
  default_representment_service_type: z.enum(REPRESENTMENT_SERVICE_TYPES).nullable().optional(),
});

const alertEnrolment = z.strictObject({
  key,
  id,
  type: z.literal('NETA_ALERT'),
  merchants: keys('merchants'),
  descriptors: z.array(descriptorInputSchema).min(1),
});

const rdrEnrolment = z.strictObject({
  key,
  id,
  type: z.literal('NETB_RDR'),
  merchants: keys('merchants'),
  bin: z.string().min(1).optional(),
  caid: z.string().min(1).optional(),
  arns: z.array(z.string().min(1)).min(1).optional(),
});

const usdAmount = z
  .string()
  .refine((text) => {
    const parsed = parseAmount(text);
    return parsed.ok && parsed.value.currency === AMOUNT_RULE_CURRENCY;
  }, `must be an amount in ${AMOUNT_RULE_CURRENCY}, for example 100.00 ${AMOUNT_RULE_CURRENCY}: the service takes no other currency and converts`)
  .describe(`For example 100.00 ${AMOUNT_RULE_CURRENCY}. The service takes no other currency.`);

const rulesetEntry = z.strictObject({
  key,
  id,
  enrolments: keys('enrolments of one type'),
  outcome: z.enum(RULESET_OUTCOMES),
  join: z
    .enum(JOIN_OPERATORS)
    .optional()
    .describe('How amount and descriptors join. Default: AND.'),
  amount: z.strictObject({ operator: z.enum(AMOUNT_OPERATORS), value: usdAmount }).optional(),
  descriptors: z
    .array(z.strictObject({ value: z.string().min(1), match_type: z.enum(MATCH_TYPES) }))
    .min(1)
    .optional(),
});

const lists = {
  merchants: z.array(merchantEntry).optional(),
  enrolments: z.array(z.discriminatedUnion('type', [alertEnrolment, rdrEnrolment])).optional(),
  rulesets: z.array(rulesetEntry).optional(),
};

/** A file that another one includes. */
export const includedFileSchema = z.strictObject(lists);

/** The file itself. */
export const estateFileSchema = z
  .strictObject({
    organisation: z.string().min(1).describe('The organisation of every entry that names none.'),
    unlisted: z
      .enum(['keep', 'remove'])
      .optional()
      .describe(
        'What happens to what the service holds and no file names. keep: it is left alone. remove: it is deleted or cancelled where the service allows that. Default: keep.',
      ),
    include: z
      .array(z.string().min(1))
      .optional()
      .describe('More files, relative to this one. "folder/*.yaml" takes all of a folder.'),
    ...lists,
  })
  .describe('Merchants, enrolments and rulesets at a chargeback prevention service.');

export type MerchantEntry = z.infer<typeof merchantEntry>;
export type EnrolmentEntry = z.infer<typeof alertEnrolment> | z.infer<typeof rdrEnrolment>;
export type RulesetEntry = z.infer<typeof rulesetEntry>;

/** An entry and where it is written. */
export type Written<Entry> = Entry & { readonly at: FilePosition };

/** All files of an estate, read and checked. */
export interface Estate {
  readonly organisation: string;
  readonly unlisted: 'keep' | 'remove';
  readonly merchants: readonly Written<MerchantEntry>[];
  readonly enrolments: readonly Written<EnrolmentEntry>[];
  readonly rulesets: readonly Written<RulesetEntry>[];
}

/** Every organisation that the files name; that of the main file first. */
export function organisationsOf({ organisation, merchants }: Estate): string[] {
  return [
    ...new Set([organisation, ...merchants.flatMap((merchant) => merchant.organisation ?? [])]),
  ];
}

/** The JSON Schema of the file, for editors. */
export function estateJsonSchema(): object {
  return z.toJSONSchema(estateFileSchema, { io: 'input' });
}
