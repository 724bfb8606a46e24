/** The place of a file's bytes, in a table whose rows are files (`isFileOfAlert` of `base/db/described-table.ts`). */
import type { SealPlace } from './seal.ts';

export function placeOfFile(
  table: string,
  { organisationId, id }: { readonly organisationId: string; readonly id: string },
): SealPlace {
  return { organisationId, table, column: 'body', row: [id] };
}
