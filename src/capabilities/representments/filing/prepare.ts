/** What would be handed in for a dispute now: the draft, and the draft with its documents as the processor takes them. */
import type { Db } from '../../../base/db/database.ts';
import { InvariantError } from '../../../base/kernel/errors.ts';
import type { ProcessorDispute } from '../../../service/wire/processor-dispute.ts';
import { readDocument } from '../documents/document.store.ts';
import { draftPdf } from '../draft-pdf.ts';
import type { Pack } from '../pack.ts';
import type { Composition, HeldDocument } from './compose.ts';
import { compose } from './compose.ts';

/** The draft is dated by its dispute, so that the same words are the same file. */
export async function prepareFiling(
  db: Db,
  organisationId: string,
  { pack, dispute }: { readonly pack: Pack; readonly dispute: ProcessorDispute },
): Promise<Composition> {
  const documents: HeldDocument[] = [];
  for (const { id } of pack.documents) {
    const document = await readDocument(db, organisationId, id);
    if (document === undefined) {
      throw new InvariantError('A document of the pack was removed meanwhile. Look at it again.');
    }
    documents.push({ ...document, content: document.body });
  }
  const draft = await draftPdf(pack, new Date(dispute.openedAt ?? 0));
  return await compose({ pack, draft, documents, wants: dispute.wants });
}
