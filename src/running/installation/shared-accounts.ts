/** Organisations of an installation that name the same processor account, for themselves or for a merchant. Pure. */
import { resolve } from 'node:path';
import type { Settings } from '../config.ts';
import type { ProcessorSettings } from '../remote-settings.ts';
import type { Organisation } from './installation-watcher.ts';

export interface SharedAccount {
  readonly account: string;
  readonly organisationIds: readonly string[];
}

type Named = Pick<Organisation, 'id' | 'current'>;

/** The file is read anew into another list. */
const known = new WeakMap<readonly Named[], readonly SharedAccount[]>();

export function sharedAccounts(organisations: readonly Named[]): readonly SharedAccount[] {
  const before = known.get(organisations);
  if (before !== undefined) return before;
  const byAccount = new Map<string, string[]>();
  for (const { id, current } of organisations) {
    for (const account of accountsOf(current())) {
      byAccount.set(account, [...(byAccount.get(account) ?? []), id]);
    }
  }
  const shared = [...byAccount]
    .filter(([, ids]) => ids.length > 1)
    .map(([account, organisationIds]) => ({ account, organisationIds }));
  known.set(organisations, shared);
  return shared;
}

/** The other organisations that name an account of this one. */
export function othersWithAccount(
  organisations: readonly Named[],
  organisationId: string,
): readonly string[] {
  const ids = sharedAccounts(organisations)
    .filter(({ organisationIds }) => organisationIds.includes(organisationId))
    .flatMap(({ organisationIds }) => organisationIds);
  return [...new Set(ids)].filter((id) => id !== organisationId);
}

function accountsOf({ processor, layers }: Pick<Settings, 'processor' | 'layers'>): Set<string> {
  const merchants = layers?.merchants ?? [];
  const all = [processor, ...merchants.map((merchant) => merchant.processor)];
  return new Set(all.flatMap((each) => nameOf(each) ?? []));
}

/**
 * Whose account is behind an address or a module only that knows. Taken for the same where it is another one, two
 * organisations wait for each other on charges of one name, and nothing else.
 */
function nameOf(processor: ProcessorSettings | undefined): string | undefined {
  switch (processor?.kind) {
    case 'http':
      return withoutDetails(new URL(processor.url));
    case 'module':
      return resolve(processor.path);
    case 'sandbox':
      return 'sandbox';
    default:
      return undefined;
  }
}

/** People read it, and a query may hold a key. */
function withoutDetails({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
