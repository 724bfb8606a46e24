/** Which documents speak of a purchase: the version in force on its day, of its products, in its language. Pure. */
import { toInstant } from '../../../base/kernel/instant.ts';
import type { EvidenceElement, EvidenceFileType } from '../../../service/wire/processor-dispute.ts';

/** A document without its bytes. */
export interface KeptDocument {
  readonly id: string;
  readonly element: EvidenceElement;
  readonly name: string;
  readonly language: string | null;
  readonly product: string | null;
  readonly orderReference: string | null;
  /** YYYY-MM-DD. */
  readonly validFrom: string;
  /** The last day; null: not over. */
  readonly validUntil: string | null;
  readonly type: EvidenceFileType;
  readonly pages: number;
  readonly byteCount: number;
  readonly sha256: string;
}

export interface Purchase {
  readonly orderReference: string;
  /** YYYY-MM-DD, by the clock that the order's moment is written in. */
  readonly day: string;
  /** Two or three letters; null: the order does not say. */
  readonly language: string | null;
  /** Product numbers and names of its items. */
  readonly products: readonly string[];
}

/** The day of a moment as it is written; null: it is none. */
export function dayOf(moment: string | null | undefined): string | null {
  return moment != null && toInstant(moment) !== null ? moment.slice(0, 10) : null;
}

export function documentsFor(
  purchase: Purchase,
  documents: readonly KeptDocument[],
): readonly KeptDocument[] {
  const fitting = documents.filter((each) => isInForce(each, purchase.day) && isOf(purchase, each));
  const named = Map.groupBy(fitting, ({ element, name }) => `${element}\n${name}`);
  return [...named.values()].flatMap((each) => inLanguage(purchase, narrowest(each)));
}

function isInForce({ validFrom, validUntil }: KeptDocument, day: string): boolean {
  return validFrom <= day && (validUntil === null || day <= validUntil);
}

function isOf({ orderReference, products }: Purchase, document: KeptDocument): boolean {
  if (document.orderReference !== null && document.orderReference !== orderReference) return false;
  const { product } = document;
  return product === null || products.some((each) => spelled(each) === spelled(product));
}

function spelled(product: string): string {
  return product.normalize('NFC').trim().toLowerCase();
}

/** Those of the order alone; else of its products; else of all. */
function narrowest(documents: readonly KeptDocument[]): readonly KeptDocument[] {
  const ofOrder = documents.filter(({ orderReference }) => orderReference !== null);
  const ofProduct = documents.filter(({ product }) => product !== null);
  return [ofOrder, ofProduct].find(({ length }) => length > 0) ?? documents;
}

/** For each product the one in the order's language, else the one that says none, else the only one there is. */
function inLanguage(
  { language }: Purchase,
  documents: readonly KeptDocument[],
): readonly KeptDocument[] {
  const byProduct = Map.groupBy(documents, ({ product }) => product);
  return [...byProduct.values()].flatMap((each) => {
    const wanted = each.filter((one) => language !== null && one.language === language);
    const unsaid = each.filter((one) => one.language === null);
    const only = language === null && each.length === 1 ? each : [];
    const [chosen] = [wanted, unsaid, only].flat();
    return chosen === undefined ? [] : [chosen];
  });
}
