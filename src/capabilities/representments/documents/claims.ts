/** Claims about documents of the library. Pure. */
import type { Sentence } from '../claim.ts';
import type { PackFacts } from '../pack-facts.ts';
import type { ElementName } from '../pack-rules.ts';

/** What a page shows that is the same for every order. All else needs a row, or a document, of this very order. */
const OF_EVERY_ORDER: ReadonlySet<ElementName> = new Set(['refund_policy', 'authenticity']);

/** What the documents say of an element beside what the rows say of it. */
export function tellDocuments(
  element: ElementName,
  { documents, purchaseDay }: PackFacts,
  isHeld: boolean,
): readonly Sentence[] {
  return documents
    .filter((each) => each.element === element)
    .filter((each) => isHeld || each.orderReference !== null || OF_EVERY_ORDER.has(element))
    .map(({ id, name, orderReference }) => ({
      text:
        orderReference === null
          ? `“${name}” was in force on ${purchaseDay}, the day of the purchase.`
          : `“${name}” is a document of this order.`,
      cites: [{ table: 'evidence_document', id }],
    }));
}
