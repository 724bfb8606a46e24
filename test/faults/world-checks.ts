/**
 * Checked over the whole world when all cases have run: no complaint was refunded twice and no charge
 * above what it captured, nothing was declared that is not in the ledger, and no secret stands in any
 * output.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from './case.ts';
import type { LedgerEntry } from './rig/processor-types.ts';
import type { Patch } from './rig/remote.ts';
import { call } from './rig/remote.ts';
import type { Rig } from './rig/rig.ts';

/** The three books: the processor's, the service's, and which charge each of our cases is about. */
interface Books {
  readonly ledger: readonly LedgerEntry[];
  readonly patches: readonly Patch[];
  readonly chargeOf: ReadonlyMap<unknown, unknown>;
  readonly byNetwork: ReadonlySet<unknown>;
}

/** Compares the three books and searches the logs. */
export async function checkWorld(rig: Rig): Promise<CaseResult> {
  const startedMs = performance.now();
  const { ledger, captured } = await rig.processor.books();
  const { items: patches } = await call<{ items: Patch[] }>(
    `${rig.sandbox.url}/sandbox/patches`,
    'GET',
  );
  const charges = await rig.sql(
    `select c.alert_id, c.state, coalesce(c.charge_reference, m.charge_reference) as charge
       from alert_case c left join movement m on m.id = c.movement_id`,
  );
  const books: Books = {
    ledger,
    patches,
    chargeOf: new Map(charges.map(({ alert_id, charge }) => [alert_id, charge])),
    // Money that the network returned by itself stands in no ledger of ours.
    byNetwork: new Set(
      charges
        .filter(({ state, charge }) => state === 'RECONCILED_RDR' && charge !== null)
        .map(({ charge }) => charge),
    ),
  };
  const faults = [
    ...doubleRefunds(ledger),
    ...aboveCaptured(ledger, new Map(captured)),
    ...falseAnswers(books),
    ...findSecrets(rig),
    ...deaths(rig),
    ...brokenLines(rig),
  ];
  return {
    id: 'I1-I4',
    title:
      'over all cases: no complaint refunded twice, no charge above what it captured, one true answer per alert, no secret and no broken line in a log',
    status: faults.length === 0 ? 'passed' : 'failed',
    tookMs: Math.round(performance.now() - startedMs),
    detail:
      faults.length === 0
        ? `${ledger.length} movements of money and ${patches.length} answers compared`
        : faults.join('; '),
    lookAt: faults.length === 0 ? [] : [join(rig.folder, 'ledger.jsonl')],
  };
}

/** One request of ours for one amount on a charge: parts of the same size are disputed in no case here. */
function doubleRefunds(ledger: readonly LedgerEntry[]): string[] {
  const counts = new Map<string, number>();
  for (const { charge, key, status, amountMinor } of ledger) {
    if (key === null || status === 'failed') continue;
    const what = `${amountMinor} of charge ${charge}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([what, count]) => `${what} was refunded ${count} times`);
}

/** By our doing: what support refunds after ours is not. */
function aboveCaptured(
  ledger: readonly LedgerEntry[],
  captured: ReadonlyMap<string, number>,
): string[] {
  const out = new Map<string, number>();
  return ledger
    .filter(({ status }) => status !== 'failed')
    .flatMap(({ charge, key, amountMinor }) => {
      const sum = (out.get(charge) ?? 0) + amountMinor;
      out.set(charge, sum);
      const most = captured.get(charge) ?? 0;
      return key !== null && sum > most ? [`${sum} of ${most} went back on charge ${charge}`] : [];
    });
}

/** An alert answered twice, or answered REFUND about a charge on which no money moved. */
function falseAnswers({ ledger, patches, chargeOf, byNetwork }: Books): string[] {
  const effective = patches.filter(({ http_status: status }) => status === 200);
  const answered = new Map<string, number>();
  for (const { alert_id: id } of effective) answered.set(id, (answered.get(id) ?? 0) + 1);
  const twice = [...answered]
    .filter(([, count]) => count > 1)
    .map(([id, count]) => `alert ${id} was answered ${count} times`);
  const untrue = effective
    .filter(({ action }) => action === 'REFUND')
    .filter(({ alert_id: id }) => !byNetwork.has(chargeOf.get(id)))
    .filter(({ alert_id: id }) => {
      const of = chargeOf.get(id) ?? null;
      // Where another database's worker refunded, no row of ours names the charge: the processor was told
      // the alert, too.
      return !ledger.some(({ charge, alertId }) => (of === null ? alertId === id : charge === of));
    })
    .map(({ alert_id: id }) => `REFUND was declared on ${id} and no money moved`);
  return [...twice, ...untrue];
}

function findSecrets({ folder, secrets }: Rig): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log') && !name.startsWith('sandbox'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return Object.entries(secrets)
        .filter(([, value]) => text.includes(value))
        .map(([which]) => `the ${which} secret stands in ${name}`);
    });
}

/** A process that ended by itself: every case ends those it wants ended by a signal. */
function deaths(rig: Rig): string[] {
  return rig
    .children()
    .filter((child) => /"msg":"(uncaughtException|unhandledRejection)"/.test(child.text()))
    .map((child) => `${child.name} ended after an unexpected failure`);
}

/** Hostile texts went through everything: each line of a log is still one line, and one of ours. */
function brokenLines(rig: Rig): string[] {
  return rig
    .children()
    .filter(({ name }) => /^(serve|work|console)-/.test(name))
    .flatMap((child) => {
      const lines = child.text().split('\n').slice(0, -1);
      const broken = lines.find((line) => !isLogLine(line));
      return broken === undefined ? [] : [`${child.name} printed ${JSON.stringify(broken)}`];
    });
}

/** Printed by Node itself when memory is gone; nobody else writes anything but JSON. */
const LAST_WORDS = /heap out of memory|^<---|^\s*\d+: |^----- |^\[\d+:0x|^$|Mark-Compact/;

function isLogLine(line: string): boolean {
  if (LAST_WORDS.test(line)) return true;
  try {
    const { msg }: { msg?: unknown } = JSON.parse(line);
    return typeof msg === 'string' && msg !== 'forged' && !line.includes('\u001b');
  } catch {
    return false;
  }
}
