/**
 * The sandbox's page: what it holds, what it sent, what it was asked last. Plain HTML without any
 * script, reloaded every few seconds.
 */
import { control } from '../control/control-endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { moneyOut } from '../processor/ledger.ts';
import type { RequestLog } from '../request-log.ts';
import type { World } from '../world.ts';
import { nowIso } from '../world.ts';
import type { Html } from './html.ts';
import { html, table } from './html.ts';

/** Rows shown per table, the newest first. */
const ROWS_MAX = 25;

/** `GET /sandbox`. */
export function pageEndpoint(world: World, requestLog: RequestLog): Endpoint {
  return control('GET', '/sandbox', () => ({
    status: 200,
    contentType: 'html',
    body: `<!doctype html>${renderPage(world, requestLog).text}`,
  }));
}

/** The whole page. */
export function renderPage(world: World, requestLog: RequestLog): Html {
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="5">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Forestall sandbox</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem; color: #1b1f24; background: #fff; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #d8dee4; }
td { font-family: ui-monospace, monospace; font-size: 12px; }
</style>
</head>
<body>
<h1>Forestall sandbox</h1>
<p>The service's interface on this machine. Its clock says ${nowIso(world)}; seed ${world.settings.seed};
${world.timers.pending().length} things are due later. Nothing here is real money.</p>
${sections(world, requestLog)}
</body>
</html>`;
}

function sections(world: World, requestLog: RequestLog): readonly Html[] {
  return [
    section('Holdings', holdings(world)),
    section('Alerts', alerts(world)),
    section('Charges', charges(world)),
    section('Deliveries', deliveries(world)),
    section('Faults', faults(world)),
    section('Mails to owners', notices(world)),
    section('Last requests', requests(requestLog)),
  ];
}

function section(title: string, content: Html): Html {
  return html`<h2>${title}</h2>${content}`;
}

function newest<Item>(items: Iterable<Item>): readonly Item[] {
  return [...items].slice(-ROWS_MAX).reverse();
}

function holdings(world: World): Html {
  const { state } = world;
  const counted = [
    ['organisations', state.organisations],
    ['merchants', state.merchants],
    ['integrations', state.integrations],
    ['enrolments', state.enrolments],
    ['rulesets', state.rulesets],
    ['orders', state.orders],
    ['alerts', state.alerts],
    ['lookups', state.lookups],
    ['representments', state.representments],
    ['scheme notices', state.schemeNotices],
    ['charges', state.charges],
    ['events', state.events],
    ['deliveries', state.deliveries],
  ] as const;
  return table(
    counted.map(([name]) => name),
    [counted.map(([, items]) => items.size)],
  );
}

function alerts(world: World): Html {
  return table(
    ['alert', 'programme', 'status', 'outcome', 'amount', 'deadline', 'matched', 'note'],
    newest(world.state.alerts.values()).map((alert) => [
      alert.id,
      alert.enrolment_type,
      alert.status,
      alert.transaction_refund_outcome,
      `${alert.transaction_amount_in_cents} ${alert.transaction_currency_code}`,
      alert.action_required_deadline,
      alert.integration_transaction_id,
      alert.note,
    ]),
  );
}

function charges(world: World): Html {
  return table(
    ['charge', 'status', 'amount', 'refunds', 'refunded'],
    newest(world.state.charges.values()).map((charge) => {
      const { count, sumMinor } = moneyOut(charge);
      return [
        charge.reference,
        charge.status,
        `${charge.amount_in_cents} ${charge.currency}`,
        count,
        sumMinor,
      ];
    }),
  );
}

function deliveries(world: World): Html {
  return table(
    ['delivery', 'event', 'type', 'status', 'attempts', 'last answer', 'next attempt'],
    newest(world.state.deliveries.values()).map((delivery) => {
      const last = delivery.attempts.at(-1);
      return [
        delivery.id,
        delivery.event_id,
        delivery.event_type,
        delivery.status,
        delivery.attempts.length,
        last?.http_status ?? last?.error,
        delivery.next_attempt_at,
      ];
    }),
  );
}

function faults(world: World): Html {
  return table(
    ['fault', 'on', 'kind', 'fired'],
    world.faults.list().map((fault) => [fault.id, fault.on, fault.kind, fault.fired]),
  );
}

function notices(world: World): Html {
  return table(
    ['at', 'to', 'subject'],
    newest(world.state.notices).map((notice) => [notice.at, notice.to, notice.subject]),
  );
}

function requests(requestLog: RequestLog): Html {
  return table(
    ['at', 'method', 'path', 'status', 'fault', 'key'],
    newest(requestLog.all()).map((entry) => [
      entry.at,
      entry.method,
      entry.path,
      entry.status,
      entry.fault,
      entry.key_id,
    ]),
  );
}
