/** Guarantee: organisations whose settings may mean one processor account are known as such, and no others. */
import { expect, it } from 'vitest';
import type { Settings } from '../../../src/running/config.ts';
import { readSettings } from '../../../src/running/config.ts';
import type { LayerSettings } from '../../../src/running/installation/layer-words.ts';
import {
  othersWithAccount,
  sharedAccounts,
} from '../../../src/running/installation/shared-accounts.ts';

const base = readSettings({});
const at = (url: string): Settings['processor'] => ({ kind: 'http', url, secret: 'secret-of-it' });

function organisation(
  id: string,
  processor: Settings['processor'],
  ofMerchant?: Settings['processor'],
) {
  const merchants = ofMerchant === undefined ? [] : [{ id: 'mrch_1', processor: ofMerchant }];
  const layers = { merchants } as unknown as LayerSettings;
  return { id, current: (): Settings => ({ ...base, processor, layers }) };
}

it('by address, whatever the secret, the query or a slash; by module; and those of merchants too', () => {
  const organisations = [
    organisation('org_a', at('https://pay.example.com/v1/')),
    organisation('org_b', at('https://pay.example.com/v1?key=of-b')),
    organisation('org_c', at('https://pay.example.com/v2')),
    organisation('org_d', { kind: 'none' }, at('https://pay.example.com/v2')),
    organisation('org_e', { kind: 'none' }),
    organisation(
      'org_f',
      { kind: 'module', path: './stripe.ts' },
      { kind: 'module', path: 'a.ts' },
    ),
    organisation('org_g', { kind: 'module', path: 'stripe.ts' }, at('https://pay.example.com/v1')),
  ];
  const ids = organisations.map(({ id }) => [id, othersWithAccount(organisations, id)]);
  expect(Object.fromEntries(ids)).toEqual({
    org_a: ['org_b', 'org_g'],
    org_b: ['org_a', 'org_g'],
    org_c: ['org_d'],
    org_d: ['org_c'],
    org_e: [],
    org_f: ['org_g'],
    org_g: ['org_a', 'org_b', 'org_f'],
  });
  expect(sharedAccounts(organisations)[0]).toEqual({
    account: 'https://pay.example.com/v1',
    organisationIds: ['org_a', 'org_b', 'org_g'],
  });
});
