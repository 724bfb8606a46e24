/**
 * The service and the processor of two organisations, in a process of their own: two sandboxes, in which alerts arise in turn
 * at a steady rate. Sends its parent the accounts, and the books when asked.
 */
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { AlertBook, Books } from './books.ts';

/** What it is told at its start. */
export interface ServiceOrder {
  /** Where the events of each organisation are sent. */
  readonly webhookUrls: readonly string[];
  readonly processorSecret: string;
}

/** Of one organisation. */
export interface Account {
  readonly url: string;
  readonly processorUrl: string;
  readonly organisationId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** What the parent says. */
export type ServiceMessage =
  | { readonly say: 'alerts'; readonly perMinute: number }
  | { readonly say: 'books' };

const DAY_MS = 86_400_000;

const order = JSON.parse(process.argv[2] ?? '{}') as ServiceOrder;
const sandboxes: Sandbox[] = [];
for (const [place, webhookUrl] of order.webhookUrls.entries()) {
  sandboxes.push(
    await createSandbox({
      // Ids of two runs must not meet, nor those of the two.
      seed: (Date.now() % 1_000_000_000) + place,
      webhookUrl,
      processorSecret: order.processorSecret,
    }),
  );
}

interface Raised {
  readonly id: string;
  readonly charge: string;
  readonly createdMs: number;
  readonly sandbox: Sandbox;
}

const raised: Raised[] = [];
let timer: NodeJS.Timeout | undefined;

function raise(): void {
  const sandbox = sandboxes[raised.length % sandboxes.length];
  if (sandbox === undefined) return;
  // Different cards and amounts: what two have in common would be for people.
  const own = raised.length;
  const { reference } = sandbox.createCharge({
    amount_in_cents: 1_000 + (own % 9_000),
    currency: 'USD',
    authorised_at: new Date(Date.now() - DAY_MS).toISOString(),
    acquirer_reference_number: `7${Date.now()}${String(own).padStart(9, '0')}`,
    authorisation_code: String(own).padStart(6, '0'),
    card_bin: '411111',
    card_last4: String(own % 10_000).padStart(4, '0'),
  });
  const { id } = sandbox.createAlertFor(reference, { match: 'never' });
  raised.push({ id, charge: reference, createdMs: Date.now(), sandbox });
}

function books(): Books {
  const answers = new Map<string, AlertBook['answers'][number][]>();
  for (const { patchLog } of sandboxes) {
    for (const { alert_id: id, at, action, http_status: status } of patchLog) {
      if (status !== 200) continue;
      answers.set(id, [...(answers.get(id) ?? []), { atMs: Date.parse(at), action }]);
    }
  }
  const alerts = raised.map(({ id, charge, createdMs, sandbox }): AlertBook => {
    const record = sandbox.state.charges.get(charge);
    const moved = (record?.refunds ?? []).filter(({ status }) => status !== 'failed');
    return {
      id,
      createdMs,
      amountMinor: record?.amount_in_cents ?? 0,
      refunds: moved.map(({ created_at: at, amount_in_cents: amountMinor }) => ({
        atMs: Date.parse(at),
        amountMinor,
      })),
      answers: answers.get(id) ?? [],
    };
  });
  const taken = sandboxes.flatMap((sandbox) =>
    sandbox
      .deliveries()
      .filter(({ attempts }) => attempts.some(({ http_status: status }) => status === 200))
      .map(({ event_id: id }) => id),
  );
  return { alerts, taken };
}

process.on('message', (message: ServiceMessage) => {
  if (message.say === 'books') {
    process.send?.(books());
    return;
  }
  clearInterval(timer);
  if (message.perMinute > 0) timer = setInterval(raise, 60_000 / message.perMinute);
});
process.once('disconnect', () => process.exit());
process.send?.(
  sandboxes.map(({ url, processorUrl, accounts }): Account => {
    const { organisationId, organisationKey: apiKey, webhookSecret } = accounts;
    return { url, processorUrl, organisationId, apiKey, webhookSecret };
  }),
);
