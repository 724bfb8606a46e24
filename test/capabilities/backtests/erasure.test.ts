/** Guarantee: a customer whom a draft or a backtest names is erased from its text, and the text is still a policy. */
import { expect, it } from 'vitest';
import {
  findBacktest,
  listBacktests,
  requestBacktest,
} from '../../../src/capabilities/backtests/backtest.store.ts';
import { findDraft, insertDraft } from '../../../src/capabilities/backtests/drafts/draft.store.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
const EMAIL = 'anna@customer.example';
const SOURCE = `name: VIPs\nlists: {vips: [${EMAIL}, ben@customer.example]}\nrules: [{name: vips, when: {customer_email: {in_list: vips}}, then: REFUND}]\notherwise: REVIEW\n`;
/** As the language asks for: an address where one was. */
const ERASED = SOURCE.replace(EMAIL, 'erased@erased.invalid');

it('holds', async () => {
  const { db } = test;
  const now = new Date(NOW);
  const text = { name: 'VIPs', source: SOURCE, files: {}, version: null, basedOn: null };
  const id = (await insertDraft(db, { ...text, organisationId: ORG, operator: 'ines', now })) ?? '';
  const policy = loadPolicy(SOURCE, { file: 'vips' });
  const asked = { organisationId: ORG, by: 'ines', policy, against: undefined };
  await requestBacktest(db, { ...asked, from: new Date(0), before: now, now });

  const erasure = { organisationId: ORG, customerEmail: EMAIL, actor: 'operator:ines', now };
  await eraseCustomer(db, { ...erasure, dryRun: false });

  const [tried] = await listBacktests(db, ORG, 1);
  const left = [
    (await findDraft(db, ORG, id))?.source,
    (await findBacktest(db, ORG, tried?.id ?? ''))?.source,
  ];
  expect(left).toEqual([ERASED, ERASED]);
  for (const source of left) loadPolicy(source ?? '', { file: 'left' });
});
