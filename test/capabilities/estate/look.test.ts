/**
 * Guarantee: what somebody changes at the service is a finding after the next look, closes by itself
 * once it is settled, and stands on the console's page; a look changes nothing at the service.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listFindings } from '../../../src/base/findings/finding.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { findLook } from '../../../src/capabilities/estate/estate-look.store.ts';
import { estate as capability } from '../../../src/capabilities/estate/index.ts';
import type { EstateWatch } from '../../../src/capabilities/estate/look-at-estate.ts';
import { lookNow, lookWhenDue } from '../../../src/capabilities/estate/look-at-estate.ts';
import type { PastDispute } from '../../../src/capabilities/estate/plan/try-rulesets.ts';
import { readRdrDisputes } from '../../../src/capabilities/estate/rdr-disputes.store.ts';
import { HOLD_EVERYTHING_POLICY } from '../../../src/policy/built-in.ts';
import { nightWork } from '../../../src/running/roles/nightly.ts';
import { installationOf } from '../../../src/running/roles/parts.ts';
import type { ServiceClient } from '../../../src/service/client/index.ts';
import { createServiceClient, unlimitedBudget } from '../../../src/service/client/index.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import type { CapabilityWork } from '../../../src/surface/capability.ts';
import type { EstateFolder } from '../../support/estate-file.ts';
import { importInto } from '../../support/estate-file.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

let world: World;
let client: ServiceClient;
let estate: EstateFolder;
let watch: EstateWatch;
let rulesetId: string;

const AMOUNT = { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 10_000 } as const;

beforeAll(async () => {
  world = await createWorld();
  const { sandbox } = world;
  client = createServiceClient({
    baseUrl: sandbox.url,
    partnerApiKey: sandbox.accounts.partnerKey,
    clock: world.clock,
    budget: unlimitedBudget,
  });
});
afterAll(() => world.close());
beforeEach(async () => {
  const { organisationId, rdrEnrolmentId } = world.sandbox.accounts;
  for await (const { id } of client.rulesets.list({ organisation_id: organisationId })) {
    await client.rulesets.delete(id);
  }
  const created = await client.rulesets.create({
    organisation_id: organisationId,
    enrolment_ids: [rdrEnrolmentId],
    outcome: 'ACCEPT_DISPUTE',
    join_operator: 'AND',
    rules: [{ type: 'AMOUNT', parameters: AMOUNT }],
  });
  rulesetId = created.id;
  estate = await importInto(client, organisationId);
  watch = { ...workOn(estate.path), path: estate.path };
  await world.parts.database.db.deleteFrom('finding').execute();
  await world.parts.database.db.deleteFrom('estate_look').execute();
});

afterEach(() => estate.remove());

/** What the capability is given where the settings name this file. */
function workOn(path: string): CapabilityWork {
  const { parts } = world;
  return {
    ...installationOf(parts, 'estate'),
    settings: openSettings({ FORESTALL_ESTATE: path }),
    brands: parts.endpoints.brandTokens,
    eventKinds: [],
    partner: () => client,
    variables: {},
    processor: createNoProcessor(),
    currentPolicy: () => HOLD_EVERYTHING_POLICY,
    readers: async () => [],
    isShadow: false,
    allowLoopback: true,
  };
}

async function openKinds(): Promise<string[]> {
  const rows = await listFindings(world.parts.database.db, {
    organisationId: world.parts.organisationId,
    state: 'open',
    limit: 50,
  });
  return rows.map(({ kind, severity }) => `${kind} ${severity}`).sort();
}

async function setAmount(cents: number): Promise<void> {
  const { rules } = await client.rulesets.get(rulesetId);
  await client.rulesets.rules.update(
    { rulesetId, ruleId: rules?.[0]?.id ?? '' },
    { type: 'AMOUNT', parameters: { ...AMOUNT, amount_in_cents: cents } },
  );
}

describe('a look', () => {
  it('finds nothing where file, note and service agree, and keeps a picture', async () => {
    await lookNow(watch);
    expect(await openKinds()).toEqual([]);
    const look = await findLook(world.parts.database.db, world.parts.organisationId);
    expect(look?.problem).toBeNull();
    expect(look?.picture).toMatchObject({ isNoted: true, drift: [], plan: { steps: [] } });
    expect(look?.picture?.rulesets[0]?.text).toContain('lets through disputes above 100.00 USD');
  });

  it('finds a ruleset that a dashboard loosened, as an error with money in it; it closes by itself', async () => {
    await setAmount(50_000);
    await lookNow(watch);
    expect(await openKinds()).toEqual([
      'estate_changed_elsewhere warning',
      'estate_rdr_wider error',
    ]);
    await setAmount(10_000);
    await lookNow(watch);
    expect(await openKinds()).toEqual([]);
  });

  it('tells what the file wants and nobody applied, and changes nothing itself', async () => {
    await estate.edit((text) => text.replace('100.00 USD', '50.00 USD'));
    await lookNow(watch);
    expect(await openKinds()).toEqual(['estate_not_applied warning']);
    const { rules } = await client.rulesets.get(rulesetId);
    expect(rules?.[0]?.parameters).toEqual(AMOUNT);
  });

  it('tells of an enrolment for which a person must act; one in progress is none', async () => {
    const { alertEnrolmentId } = world.sandbox.accounts;
    await client.simulate.enrolment(alertEnrolmentId, { status: 'IN_PROGRESS' });
    await lookNow(watch);
    expect(await openKinds()).toEqual([]);
    await client.simulate.enrolment(alertEnrolmentId, { status: 'ACTION_REQUIRED' });
    await lookNow(watch);
    expect(await openKinds()).toEqual(['estate_enrolment_stuck warning']);
    await client.simulate.enrolment(alertEnrolmentId, { status: 'ENABLED' });
  });

  it('that fails says why, keeps the last picture, and heals', async () => {
    await lookNow(watch);
    await estate.edit((text) => text.replace('merchants:', 'merchant:'));
    await lookNow(watch);
    expect(await openKinds()).toEqual(['estate_unreadable warning']);
    const { db } = world.parts.database;
    const failed = await findLook(db, world.parts.organisationId);
    expect(failed?.problem).toContain('Did you mean "merchants"?');
    expect(failed?.picture?.counts.rulesets).toBe(1);
    await lookNow({ ...watch, partner: () => undefined });
    await estate.edit((text) => text.replace('merchant:', 'merchants:'));
    await lookNow({ ...watch, partner: () => undefined });
    expect((await findLook(db, world.parts.organisationId))?.problem).toContain(
      'FORESTALL_PARTNER_API_KEY',
    );
    await lookNow(watch);
    expect(await openKinds()).toEqual([]);
  });

  it('shows no value of a variable', async () => {
    await estate.edit((text) => text.replace(/name: .*/, `name: "\${SHOP_NAME}"`));
    await lookNow({ ...watch, variables: { SHOP_NAME: 'Geheim' } });
    const { db } = world.parts.database;
    const look = await findLook(db, world.parts.organisationId);
    expect(JSON.stringify(look)).toContain('SHOP_NAME');
    expect(JSON.stringify(look)).not.toContain('Geheim');
    expect(await openKinds()).toEqual(['estate_not_applied warning']);
  });
});

describe('the pace', () => {
  it('is one look in three hours, a minute after the file changed, and by one process', async () => {
    expect(await Promise.all([lookWhenDue(watch), lookWhenDue(watch)])).toContain(false);
    await estate.edit((text) => `${text}\n# changed\n`);
    expect(await lookWhenDue(watch)).toBe(false);
    world.clock.advanceMs(60_000);
    expect(await lookWhenDue(watch)).toBe(true);
    world.clock.advanceMs(3 * 60 * 60_000 - 1);
    expect(await lookWhenDue(watch)).toBe(false);
    world.clock.advanceMs(1);
    expect(await lookWhenDue(watch)).toBe(true);
  });

  it('is every night too', async () => {
    await setAmount(50_000);
    const nightly = capability.nightly?.(workOn(estate.path)) ?? [];
    const night = nightWork(installationOf(world.parts, 'night'), {
      ofCapabilities: { beforeRetention: [], nightly },
    });
    await night.run('night', new AbortController().signal);
    expect(await openKinds()).toContain('estate_rdr_wider error');
  });
});

describe('past RDR disputes', () => {
  it('are those of the period that came through RDR and were not withdrawn, each once', async () => {
    const { sandbox, parts, clock } = world;
    const { rdrEnrolmentId: enrolment_id } = sandbox.accounts;
    const raise = async (fields: object): Promise<string> => {
      const { id } = sandbox.createAlert({
        amount_in_cents: 20_000,
        currency_code: 'EUR',
        ...fields,
      });
      await world.drain();
      clock.advanceMs(1_000);
      return id;
    };
    await raise({ enrolment_id });
    const from = nowDate(clock);
    const letThrough = await raise({ enrolment_id });
    const refunded = await raise({ enrolment_id, amount_in_cents: 100 });
    await raise({});
    await raise({ enrolment_id, status: 'INVALID' });
    const to = nowDate(clock);
    await raise({ enrolment_id });
    const { db } = parts.database;
    const period = { organisationId: parts.organisationId, from, to };
    const disputes: PastDispute[] = [];
    for await (const dispute of readRdrDisputes(db, period)) disputes.push(dispute);
    expect(disputes).toMatchObject([
      {
        alertId: letThrough,
        enrolmentId: enrolment_id,
        money: { amountMinor: 20_000, currency: 'EUR' },
        wasRefunded: false,
      },
      { alertId: refunded, money: { amountMinor: 100, currency: 'EUR' }, wasRefunded: true },
    ]);
    const paged: PastDispute[] = [];
    for await (const dispute of readRdrDisputes(db, { ...period, batch: 1 })) paged.push(dispute);
    expect(paged).toEqual(disputes);
  });
});
