/** Documents that evidence is made of besides the rows: terms, policies, descriptions, screenshots; each with its days. */
import type { RowOf } from '../../../base/db/described-table.ts';
import {
  bytes,
  day,
  describeTable,
  moment,
  number,
  text,
} from '../../../base/db/described-table.ts';
import { CASE_DAYS } from '../../../base/db/table-entry.ts';
import type { EvidenceElement, EvidenceFileType } from '../../../service/wire/processor-dispute.ts';

declare module '../../../base/db/database.ts' {
  interface Database {
    evidence_document: RowOf<typeof evidenceDocument>;
  }
}

export const evidenceDocument = describeTable({
  name: 'evidence_document',
  purpose: 'documents for disputes, with the days on which each is in force',
  keep: CASE_DAYS,
  // One that is in force is kept; one that is not, as long as an order of its last day.
  old: 'valid_until',
  references: ['order_reference'],
  columns: {
    id: text(),
    /** What it shows. */
    element: text<EvidenceElement>(),
    name: text().personal,
    /** Two or three letters; null: of orders in any. */
    language: text().nullable,
    /** The product number or the name of an item; null: of all. */
    product: text().personal.nullable,
    /** It is about this order alone; null: about all. */
    order_reference: text().nullable,
    valid_from: day(),
    /** The last day; null: not over. */
    valid_until: day().nullable,
    type: text<EvidenceFileType>(),
    pages: number(),
    byte_count: number(),
    /** Of the bytes in clear. */
    sha256: text(),
    key_id: text().nullable,
    body: bytes().sealed,
    added_by: text(),
    added_at: moment(),
  },
});
