/**
 * The whole of Forestall behind a console on a real listener, with something of everything in it: the
 * service's own sandbox, the worker's loops, and the clock that the test moves.
 */
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { openFinding } from '../../../src/base/findings/finding.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { lookNow } from '../../../src/capabilities/estate/look-at-estate.ts';
import { addDocument } from '../../../src/capabilities/representments/documents/document.store.ts';
import { readFile } from '../../../src/capabilities/representments/documents/read-file.ts';
import { noteDisputes } from '../../../src/capabilities/representments/filing/filing.store.ts';
import { createConsoleRole } from '../../../src/people/console/console-role.ts';
import { installationOf } from '../../../src/running/roles/parts.ts';
import { PROCESSOR_SECRET } from '../../../src/running/testing/world-wiring.ts';
import type { Sale } from '../../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createServiceClient } from '../../../src/service/client/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { Role } from '../../../src/surface/access/role.ts';
import { importInto } from '../../support/estate-file.ts';
import type { World, WorldOptions } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

export const CONSOLE_TOKEN = 'console-token-for-browsers';

/** A console in a world. */
export interface Site {
  readonly world: World;
  readonly url: string;
  /** Tokens of an operator of each role. */
  readonly tokens: Readonly<Record<Role, string>>;
  close(): Promise<void>;
}

export async function openSite(options: WorldOptions = {}): Promise<Site> {
  const world = await createWorld({ reconcileSeconds: 120, ...options });
  const { parts } = world;
  const server = createConsoleRole(parts, {
    token: CONSOLE_TOKEN,
    programmes: { required: [], reported: [] },
    counters: undefined,
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = async (role: Role): Promise<string> => {
    const added = await addOperator(parts.database.db, {
      organisationId: parts.organisationId,
      name: `the ${role}`,
      by: 'test',
      now: nowDate(world.clock),
      role,
      token: { as: 'shown' },
    });
    if (!added.ok || added.token === undefined) throw new Error('no token');
    return added.token;
  };
  const tokens = {
    viewer: await token('viewer'),
    reviewer: await token('reviewer'),
    administrator: await token('administrator'),
  };
  return {
    world,
    url,
    tokens,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
      await world.close();
    },
  };
}

/** Two purchases with one card could be meant, so that a person must choose. */
export async function raiseReview(site: Site): Promise<{ alertId: string; sale: Sale }> {
  const review = await raiseAlert(site);
  await site.world.drain();
  return review;
}

/** The same, so many times. */
export async function raiseReviews(site: Site, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await raiseAlert(site)).alertId);
  await site.world.drain();
  return ids;
}

async function raiseAlert({ world }: Site): Promise<{ alertId: string; sale: Sale }> {
  const sale = await world.sell(PRODUCTS.course);
  await world.sell(PRODUCTS.course, sale);
  const alert = world.sandbox.createAlertFor(sale.charge.reference, {
    reason_code: '10.4',
    card_issuer: 'First Example Bank',
    acquirer_reference_number: null,
    authorisation_code: null,
    match: 'never',
  });
  return { alertId: alert.id, sale };
}

/** What pages of one thing are opened with. */
export interface Filled {
  readonly representmentId: string;
  /** An alert whose price is claimed back. */
  readonly claimedId: string;
  /** Addresses where pages of files stand as pictures. */
  readonly withPictures: readonly string[];
}

/** A file that wants more than there is, and somebody who changed the service meanwhile. */
export async function fillEstate({ world }: Site): Promise<void> {
  const { sandbox, parts } = world;
  const client = createServiceClient({
    baseUrl: sandbox.url,
    partnerApiKey: sandbox.accounts.partnerKey,
    clock: world.clock,
  });
  const { merchants, enrolments, rulesets } = client;
  const { organisationId, rdrEnrolmentId, merchantId } = sandbox.accounts;
  const amount = {
    operator: 'GREATER_THAN',
    currency_code: 'USD',
    amount_in_cents: 10_000,
  } as const;
  const { id } = await rulesets.create({
    organisation_id: organisationId,
    enrolment_ids: [rdrEnrolmentId],
    outcome: 'ACCEPT_DISPUTE',
    join_operator: 'AND',
    rules: [{ type: 'AMOUNT', parameters: amount }],
  });
  const estate = await importInto({ merchants, enrolments, rulesets }, organisationId);
  const { rules } = await rulesets.get(id);
  const parameters = { ...amount, amount_in_cents: 50_000 };
  const address = { rulesetId: id, ruleId: rules?.[0]?.id ?? '' };
  await rulesets.rules.update(address, { type: 'AMOUNT', parameters });
  await merchants.update(merchantId, { name: 'Renamed in the dashboard' });
  await estate.edit((text) =>
    text
      .replace('merchants:\n', 'merchants:\n  - { key: us, name: America, type: GENERIC }\n')
      .replace(
        'enrolments:\n',
        "enrolments:\n  - { key: us-rdr, type: NETB_RDR, merchants: [us], bin: '400009', caid: US1 }\n",
      ),
  );
  await lookNow({
    ...installationOf(parts, 'estate'),
    partner: () => client,
    path: estate.path,
    variables: {},
  });
  await estate.remove();
}

/** A day on which a candidate would have decided one alert otherwise. */
async function fillShadow({ world }: Site): Promise<void> {
  const { database, organisationId } = world.parts;
  const row = {
    ...{ alertId: 'netalrt_1', shadow: 'policy', would: 'ACCEPT_DISPUTE', wouldMinor: null },
    ...{ did: 'REFUND', didMinor: 500, currency: 'USD', rule: 'big', verdict: 'different' },
    sentence: 'Accept the dispute of 5.00 USD: rule "big" applies, because amount is 5.00 USD.',
  };
  const report = {
    ...{ day: '2026-11-19', alerts: 3, same: 2, different: 1, review: 0, rows: [row] },
    ...{ wouldRefundMinor: { USD: 1_000 }, didRefundMinor: { USD: 1_500 } },
  };
  await sql`insert into shadow_report (organisation_id, day, report, created_at)
    values (${organisationId}, ${report.day}, ${JSON.stringify(report)}, ${nowDate(world.clock)})`.execute(
    database.db,
  );
}

/** A refund policy of two pages, as an administrator adds it. */
async function addPolicy({ world }: Site): Promise<string> {
  const { organisationId, database } = world.parts;
  const now = nowDate(world.clock);
  const lines = Array.from(
    { length: 80 },
    (_, at) => `${at + 1}. Lessons that were not begun go back whole, within fourteen days.`,
  );
  const reading = await readFile(Buffer.from(lines.join('\n')), { title: 'Refund policy', now });
  if (!reading.ok) throw new Error(reading.message);
  const words = {
    ...{ element: 'refund_policy' as const, name: 'Refund policy', language: 'en', product: null },
    ...{ orderReference: null, validFrom: '2026-01-01', validUntil: null },
  };
  const act = { organisationId, actor: 'operator:Ines', now };
  const added = await addDocument(database.db, act, { words, file: reading.file });
  if (added.kind !== 'added') throw new Error(`The document was not added: ${added.kind}`);
  return added.id;
}

/** A dispute at the processor; an endpoint that is off, and what it has still to be sent. */
async function fillCapabilities({ world }: Site, charge: string): Promise<void> {
  const { sandbox, parts } = world;
  const { organisationId } = parts;
  const { db } = parts.database;
  const at = nowDate(world.clock);
  sandbox.openDispute(charge, { reason_code: '13.1' });
  const { disputes } = createHttpProcessor({
    baseUrl: sandbox.processorUrl,
    secret: PROCESSOR_SECRET,
    clock: world.clock,
  });
  const answer = await disputes?.read(`dp_${charge}`);
  if (answer?.kind !== 'found') throw new Error('the dispute is not there');
  await noteDisputes(db, { organisationId, now: at }, [answer.value]);
  await sql`
    insert into event_endpoint (organisation_id, id, name, url, kept_by, state, off_reason, taken_seq, created_at, created_by, changed_at)
    values (${organisationId}, 'ep_1', 'Shop', 'https://shop.example/forestall', 'console', 'OFF', 'failed for five days', 1, ${at}, 'Ines', ${at})`.execute(
    db,
  );
  await sql`
    insert into event_delivery (organisation_id, endpoint_id, seq, lane, tries, next_at, changed_at)
    select ${organisationId}, 'ep_1', min(seq), 1, 3, ${at}, ${at} from event where organisation_id = ${organisationId}`.execute(
    db,
  );
}

/** Something on every page: a lookup, an enrolment, a representment, a notice, a finding, a credit, an odd event. */
export async function fillPages(site: Site): Promise<Filled> {
  const { sandbox, parts } = site.world;
  const { world } = site;
  const { charge } = await world.sell(PRODUCTS.course);
  const lookup = sandbox.createLookup({
    type: 'NETB_ORDER_INSIGHT',
    transaction_arn: charge.acquirer_reference_number,
    transaction_amount: charge.amount_in_cents,
    transaction_currency: charge.currency,
  });
  sandbox.updateLookup(lookup.id, { lookup_status: 'SUCCEEDED', deflection_status: 'SUCCEEDED' });
  const partner = createServiceClient({
    baseUrl: sandbox.url,
    partnerApiKey: sandbox.accounts.partnerKey,
    clock: world.clock,
  });
  await partner.simulate.enrolment(sandbox.accounts.alertEnrolmentId, { status: 'IN_PROGRESS' });
  const { id: representmentId } = sandbox.createRepresentment({
    dispute_reason_code: '13.1',
    transaction_reference_id: charge.reference,
    dispute_amount_in_cents: charge.amount_in_cents,
  });
  sandbox.createSchemeNotice({ scheme_notice_type: 'TC40' });
  sandbox.sendRawEvent({ type: 'alert.renamed', body: '{"id":"evt_odd","type":"alert.renamed"}' });
  const font = (await world.sell(PRODUCTS.font)).charge.reference;
  sandbox.createAlertFor(font, { reason_code: '10.4' });
  await world.drain();
  await world.advance(60_000);
  const { id: claimedId } = sandbox.createAlertFor(font, {
    enrolment_id: sandbox.accounts.rdrEnrolmentId,
  });
  await world.drain();
  // Credits are judged every five minutes.
  await world.advance(5 * 60_000);
  await openFinding(parts.database.db, {
    organisationId: parts.organisationId,
    kind: 'double_money',
    severity: 'error',
    subject: 'charge',
    subjectId: charge.reference,
    evidence: { ours: 1 },
    nextStep: 'Ask the processor.',
    at: nowDate(world.clock),
  });
  await fillEstate(site);
  await fillShadow(site);
  await fillCapabilities(site, charge.reference);
  const document = await addPolicy(site);
  const withPictures = [
    `/representments/documents/${document}`,
    `/representments/disputes/dp_${charge.reference}`,
  ];
  return { representmentId, claimedId, withPictures };
}
