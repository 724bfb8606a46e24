/** Guarantee: a program whose types nobody checked is told which options are wrong, before anything is opened, and no value. */
import { expect, it } from 'vitest';
import { createForestall, createInstallation } from '../../../src/open-forestall.ts';

const SECRET = 'whsec_0123456789abcdef';

it.each([
  [undefined, 'createForestall was called without options. Give at least database, service, '],
  [
    {},
    'database is missing; service is missing; organisationId is missing; webhookSecrets is missing.',
  ],
  [
    { database: 5, service: { url: 7 }, organisationId: '', webhookSecrets: SECRET },
    'database must be the address of a database, or a pool of pg; service.url must be a text; service.apiKey is missing; organisationId must have at least 1 character; webhookSecrets must be a list. Correct them.',
  ],
])('createForestall(%j)', async (options, message) => {
  const refused: unknown = await createForestall(options as never).catch((error) => error);
  expect(refused).toMatchObject({ name: 'ConfigError', message: expect.stringContaining(message) });
  expect(String(refused)).not.toContain(SECRET);
});

it('createInstallation says the same of its own', async () => {
  await expect(createInstallation({ database: 'postgres://x' } as never)).rejects.toThrow(
    'createInstallation cannot use its options: organisations is missing. Correct them.',
  );
});
