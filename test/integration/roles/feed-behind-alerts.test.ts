/** Guarantee: where organisations share connections, the order feed takes them behind everything else of its organisation. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sourceOfUrl } from '../../../src/base/db/source.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createFeedLoops } from '../../../src/running/roles/feed-loops.ts';
import type { OrganisationParts, Shared } from '../../../src/running/roles/parts.ts';
import { openShared, partsOf } from '../../../src/running/roles/parts.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const ORGANISATION = 'org_a0000000000000000000000000';

let database: TestDatabase;
let shared: Shared;
let parts: OrganisationParts;
const taken: (readonly [owner: string, isLater: boolean | undefined])[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const source = sourceOfUrl(database.connectionString);
  shared = await openShared(source, createLog({ level: 'silent' }));
  const share = {
    take: (owner: string, isLater?: boolean): Promise<() => void> => {
      taken.push([owner, isLater]);
      return Promise.resolve(() => undefined);
    },
  };
  parts = await partsOf(
    { ...shared, share },
    {
      database: source,
      organisationId: ORGANISATION,
      integrationId: 'int_1',
      serviceUrl: 'http://127.0.0.1:9',
      apiKey: 'key',
      partnerApiKey: undefined,
      brandTokens: IDENTITY_BRAND_TOKENS,
    },
  );
});
afterAll(async () => {
  await parts.close();
  await shared.close();
  await database.drop();
});
beforeEach(() => void taken.splice(0));

it('each loop of the feed', async () => {
  for (const loop of createFeedLoops(parts, new AbortController().signal)) await loop.runOnce();
  expect(taken.length).toBeGreaterThan(0);
  expect(new Set(taken.map(([owner, isLater]) => `${owner} ${isLater}`))).toEqual(
    new Set([`${ORGANISATION} true`]),
  );
});

it('and nothing else', async () => {
  await parts.database.db.selectFrom('alert').select('id').execute();
  expect(taken).toEqual([[ORGANISATION, false]]);
});
