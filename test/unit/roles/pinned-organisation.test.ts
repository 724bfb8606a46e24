/** Guarantee: a key of another organisation does not come into use; what cannot be known stops no start. */
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { refuseForeignKey } from '../../../src/running/roles/pinned-organisation.ts';
import type { AlertsResource } from '../../../src/service/client/resources/alerts.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';

type Page = Pick<AlertsResource, 'page'>;

function showing(...owners: string[]): Page {
  const items = owners.map((organisation_id) => ({ organisation_id }) as Alert);
  const list = { ok: true, items, invalid: [], count: items.length } as const;
  return { page: () => Promise.resolve(list) };
}

describe('a key that shows', () => {
  it('only alerts of another organisation is refused, naming neither', async () => {
    const started = refuseForeignKey(showing('org_other', 'org_other'), 'org_ours');
    await expect(started).rejects.toThrow(ConfigError);
    await expect(started).rejects.toThrow(/FORESTALL_API_KEY.*FORESTALL_ORGANISATION_ID/);
    await expect(started).rejects.not.toThrow(/org_o/);
  });

  it.each<[string, Page]>([
    ['our alerts', showing('org_ours')],
    ['ours among others', showing('org_other', 'org_ours')],
    ['no alerts', showing()],
    ['nothing, because the service is away', { page: () => Promise.reject(new Error('away')) }],
  ])('%s is taken', async (_name, alerts) => {
    await expect(refuseForeignKey(alerts, 'org_ours')).resolves.toBeUndefined();
  });
});
