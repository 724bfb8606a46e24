/** What a person says of a document, as command and form take it, and what both answer. */
import { z } from 'zod';
import { EVIDENCE_ELEMENTS } from '../../../service/wire/processor-dispute.ts';
import { note, plainText } from '../../../surface/web/query.ts';
import type { Adding, ListedDocument } from './document.store.ts';
import { DOCUMENTS_MAX } from './document.store.ts';

const day = z.iso.date().regex(/^[12]/);
const words = note.min(1).refine((text) => plainText.safeParse(text).success, 'must be plain text');

/** Reads them; what is left out says nothing. */
export const documentWords = z
  .strictObject({
    element: z.enum(EVIDENCE_ELEMENTS),
    name: words.max(120),
    language: z
      .string()
      .refine((code) => /^[a-z]{2,3}$/.test(code), 'must be two or three small letters, like de')
      .nullable(),
    product: words.max(200).nullable(),
    orderReference: words.max(255).nullable(),
    validFrom: day,
    validUntil: day.nullable(),
  })
  .refine(({ validFrom, validUntil }) => validUntil === null || validUntil >= validFrom, {
    error: 'must not lie before the first day',
    path: ['validUntil'],
  });

export { day as documentDay };

/** Why it was not added. */
export function notAddedWords(adding: Exclude<Adding, { kind: 'added' }>): string {
  return adding.kind === 'full'
    ? `The library holds ${DOCUMENTS_MAX} documents, and takes no more. Remove some that no order can need.`
    : `A version of it, ${adding.id}, begins on that day already. Remove that one, or choose another day.`;
}

/** On which days it is in force. `written`: a day as the reader writes it. */
export function daysWords(
  { validFrom, validUntil }: Pick<ListedDocument, 'validFrom' | 'validUntil'>,
  written: (day: string) => string = (day) => day,
): string {
  if (validUntil === null) return `from ${written(validFrom)}`;
  if (validUntil < validFrom) return 'never in force';
  return `${written(validFrom)} to ${written(validUntil)}`;
}
