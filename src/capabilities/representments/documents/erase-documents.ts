/**
 * Documents that name a customer go with them: those of their orders, and those whose words name them. What a picture
 * shows is not read; one that shows a customer is added with the order that it is about.
 */
import type { Db } from '../../../base/db/database.ts';
import { isNamedIn } from '../../../base/seal/redact.ts';
import type { CustomerErasure } from '../../../surface/capability.ts';
import { deleteDocuments, listDocuments, readDocument } from './document.store.ts';

/** Erases, or counts. Returns how many rows there were, by table. */
export async function eraseDocuments(
  db: Db,
  { organisationId, person, orders, dryRun }: CustomerErasure,
): Promise<Readonly<Record<string, number>>> {
  const all = await listDocuments(db, organisationId);
  const ids: string[] = [];
  for (const { id, orderReference } of all) {
    const isTheirs = orderReference !== null && orders.includes(orderReference);
    if (isTheirs || (await isNamed(db, { organisationId, id, person }))) ids.push(id);
  }
  if (!dryRun) await deleteDocuments(db, organisationId, ids);
  return ids.length === 0 ? {} : { evidence_document: ids.length };
}

async function isNamed(
  db: Db,
  {
    organisationId,
    id,
    person,
  }: Pick<CustomerErasure, 'organisationId' | 'person'> & { readonly id: string },
): Promise<boolean> {
  const document = await readDocument(db, organisationId, id);
  if (document === undefined) return false;
  const { type, body, name } = document;
  if (person.names(name) || isNamedIn(body, person)) return true;
  if (type !== 'application/pdf') return false;
  const { openPdf } = await import('../files/pdfium.ts');
  return person.names((await openPdf(body))?.words ?? '');
}
