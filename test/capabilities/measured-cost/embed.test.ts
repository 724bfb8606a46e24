/** Guarantee: a program that Forestall is embedded in is told the same, with the costs of its file. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withRefundedAlert } from '../../integration/embed/refunded-alert.ts';

it('holds', async () => {
  const costs = join(mkdtempSync(join(tmpdir(), 'forestall-')), 'costs.yaml');
  writeFileSync(costs, 'alert_fee: { NETA: 31.00, NETB: 31.00 }\n');
  await withRefundedAlert({ costs }, async ({ policies }, clock) => {
    const to = new Date(clock.nowMs() + 1);
    const { currency, whole, leftOut } = await policies.economics({ to });
    expect({ currency, leftOut }).toEqual({ currency: 'USD', leftOut: [] });
    // 29.00 and the alert's 31.00, as the file of costs says.
    expect(whole).toMatchObject({ averageMinor: 2_900, costMinor: { refund: 6_000 } });
    expect((await policies.economics({ from: to })).whole).toBeNull();
  });
});
