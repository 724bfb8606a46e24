/** Guarantee: the command says of the numbers that an acquirer reported which line they cross, and never that nothing is near where nothing is known. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { readCockpit } from '../../../src/capabilities/ratios/cockpit.ts';
import { cockpitDeps } from '../../../src/capabilities/ratios/cockpit-deps.ts';
import { showCockpit } from '../../../src/capabilities/ratios/ratios-command.ts';
import { storeReported } from '../../../src/capabilities/ratios/reported.store.ts';
import { readReportedRow } from '../../../src/capabilities/ratios/reported.ts';
import { judgeCounts } from '../../../src/capabilities/ratios/roll-up.store.ts';
import { ORGANISATION_SCOPE } from '../../../src/capabilities/ratios/scope.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { useTestDatabase } from '../../support/database.ts';
import { ORG } from './rows.ts';

const test = useTestDatabase();
const NOW = '2026-11-22T12:00:00Z';

async function report(measure: string, value: string): Promise<void> {
  const row = { month: '2026-10', scheme: 'SCHEME_A', measure, value };
  const read = readReportedRow(row, { origin: 'a statement' });
  if (!read.ok) throw new Error(read.faults.join());
  await storeReported(test.db, read.rows, { organisationId: ORG, by: 'ada', now: new Date(NOW) });
}

beforeAll(async () => {
  // 2.40 % of the payments that the acquirer counted; of our own nothing is known.
  await report('payments', '1000');
  await report('fraud', '16');
  await report('dispute', '8');
  await judgeCounts(test.db, ORG);
});

async function shown(): Promise<string> {
  const settings = openSettings({ FORESTALL_MONITORING_REGION: 'EU' });
  const deps = cockpitDeps({
    ...{ db: test.db, organisationId: ORG, settings },
    brands: IDENTITY_BRAND_TOKENS,
  });
  return showCockpit(await readCockpit(deps, ORGANISATION_SCOPE, new Date(NOW)));
}

describe('forestall ratios', () => {
  it('says first which line reported numbers cross, and the next step', async () => {
    const text = await shown();
    const vamp = text.slice(text.indexOf('VAMP, merchants'));
    const [, beyond = ''] = vamp.split('\n');
    expect(beyond).toBe('  Beyond "non-compliant" by the numbers reported for October 2026.');
    expect(vamp).toContain('fraud once 24 of 1,000 payments, 2.40 %, beyond "non-compliant"');
    expect(vamp).toMatch(
      /fraud once, non-compliant \(0\.5 % and 5 or more\): crossed by the numbers reported\.\n {6}Next step: \S/,
    );
  });

  it('does not call a line far away where there is nothing to divide by', async () => {
    const text = await shown();
    expect(text).toContain('non-compliant (0.5 % and 5 or more): not known.');
    expect(text).not.toContain('0.5 % and 5 or more): 0 % of the way');
  });
});
