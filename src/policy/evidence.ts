/** `evidence:`: whether evidence for disputes is handed in at the processor, and when. */
import { z } from 'zod';
import type { EvidenceWords } from '../alerts/decide/evidence-words.ts';
import type { Parsed } from '../base/kernel/units.ts';
import { parseAmount, parseDuration } from '../base/kernel/units.ts';
import { FORMS, mapping, parsed, required } from './language.ts';

/** More is before most disputes ask for anything, in milliseconds. */
const MARGIN_MAX_MS = 14 * 86_400_000;

function parseMargin(written: string): Parsed<number> {
  const read = parseDuration(written);
  return read.ok && read.value > MARGIN_MAX_MS
    ? { ok: false, message: `a margin of ${written} is too long: at most 14d.` }
    : read;
}

export const EVIDENCE: z.ZodType<EvidenceWords> = mapping(
  {
    file: required(
      z.enum(['complete', 'by_hand'], { error: '"file" takes complete or by_hand.' }),
      '"file" is missing: complete, or by_hand.',
    ),
    margin: parsed(parseMargin, { pattern: '^\\d{1,5}\\s*[mhd]$' }).optional(),
    second_person_above: parsed(parseAmount, {
      pattern: '^\\d+(\\.\\d+)?\\s+[A-Z]{3}$',
    }).optional(),
  },
  { where: ' of "evidence"', error: '"evidence" has file, margin and second_person_above.' },
)
  .register(FORMS, {
    id: 'evidence',
    description:
      'Evidence for disputes is handed in at the processor: complete packs by themselves, or each by a person.',
  })
  .transform(
    ({ file, margin, second_person_above: above }): EvidenceWords => ({
      file,
      ...(margin === undefined ? {} : { marginMs: margin }),
      ...(above === undefined ? {} : { secondPersonAbove: above }),
    }),
  );
