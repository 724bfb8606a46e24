/** Guarantee: a program whose types nobody checked is told which options are wrong, before anything is opened, and no value. */
import { expect, inject, it } from 'vitest';
import { KitError } from '../../../src/base/kernel/errors.ts';
import { createForestall, createInstallation } from '../../../src/open-forestall.ts';

const SECRET = 'whsec_0123456789abcdef';

const GOOD = {
  database: inject('postgresUrl'),
  service: { url: 'https://api.service.example', apiKey: 'key_0123456789abcdef' },
  organisationId: 'org_1',
  integrationId: 'int_1',
  webhookSecrets: [SECRET],
};

const CASES: readonly (readonly [unknown, string])[] = [
  [undefined, 'createForestall was called without options. Give at least database, service, '],
  [
    {},
    'database is missing; service is missing; organisationId is missing; webhookSecrets is missing.',
  ],
  [
    { database: 5, service: { url: 7 }, organisationId: '', webhookSecrets: SECRET },
    'database must be the address of a database, or a pool of pg; service.url must be a text; service.apiKey is missing; organisationId must have at least 1 character; webhookSecrets must be a list. Correct them.',
  ],
  [{ ...GOOD, database: {} }, 'database must be the address of a database, or a pool of pg'],
  // A slip in the mode, or in its name, would be the live mode.
  [{ ...GOOD, mode: 'shaddow' }, 'mode must be one of live, shadow'],
  [{ ...GOOD, mdoe: 'shadow' }, 'mdoe is no option (did you mean mode?)'],
  [
    { ...GOOD, service: { ...GOOD.service, partnerKey: SECRET } },
    'service.partnerKey is no option (did you mean partnerApiKey?)',
  ],
  [{ ...GOOD, processor: 'https://x' }, 'processor must have name and the methods capabilities, '],
  [{ ...GOOD, logger: {} }, 'logger must have the methods debug, info, warn and error'],
  // What is found later is named as an option too: nobody has set a variable.
  [{ ...GOOD, webhookSecrets: [] }, 'A webhook signing secret is missing. Set webhookSecrets.'],
  [{ ...GOOD, policy: './none.yaml' }, 'policy names a file that cannot be read (ENOENT).'],
  [{ ...GOOD, guards: './none.yaml' }, 'guards names a file that cannot be read (ENOENT).'],
  [
    { ...GOOD, service: { ...GOOD.service, url: 'x' } },
    'service.url must be an https URL, for example https://api.example.com.',
  ],
  [{ ...GOOD, database: 'postgres://127.0.0.1:1/x' }, 'Check database, and that the server runs'],
];

it.each(CASES.map(([options, says]) => ({ options, says })))(
  'says: $says',
  async ({ options, says }) => {
    const refused: unknown = await createForestall(options as never).catch((error) => error);
    expect(refused).toBeInstanceOf(KitError);
    expect(String(refused)).toContain(says);
    expect(String(refused)).not.toContain(SECRET);
  },
);

it('createInstallation says the same of its own', async () => {
  await expect(createInstallation({ database: 'postgres://x' } as never)).rejects.toThrow(
    'createInstallation cannot use its options: organisations is missing. Correct them.',
  );
  const { database, ...one } = GOOD;
  const organisations = [{ ...one, name: 'One', mode: 'Shadow' }];
  await expect(createInstallation({ database, organisations } as never)).rejects.toThrow(
    'organisations.0.mode must be one of live, shadow.',
  );
});
