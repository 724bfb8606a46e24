/** What an organisation's merchants are called, as far as any capability knows. */
import type { Db } from '../../base/db/database.ts';
import { CAPABILITY_PAGES } from '../../capabilities/pages.ts';
import type { MerchantNames } from '../../surface/view/merchants.ts';
import { telling } from '../../surface/view/merchants.ts';

export async function readMerchantNames(db: Db, organisationId: string): Promise<MerchantNames> {
  const known = await Promise.all(
    CAPABILITY_PAGES.map(({ merchantNames }) => merchantNames?.(db, organisationId)),
  );
  return telling(new Map(known.flatMap((names) => [...(names ?? [])])));
}
