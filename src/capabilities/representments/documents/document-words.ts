/** What a person says of a document, as command and form take it. */
import { z } from 'zod';
import { EVIDENCE_ELEMENTS } from '../../../service/wire/processor-dispute.ts';
import { note, plainText } from '../../../surface/web/query.ts';

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
