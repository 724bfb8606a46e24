/** The first page: how a program is pointed at the sandbox, what time it is there, what is due next. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { countAll } from '../../control/count-all.ts';
import type { SandboxContext } from '../../sandbox-context.ts';
import type { ApiKey } from '../../state/accounts.ts';
import type { Timer, TimerKind } from '../../timers.ts';
import { form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import { copyable, facts, moment, section } from '../pieces.ts';

export const startView: View = {
  path: '/sandbox',
  title: 'Start',
  render: (visit) => html`${section('Point your program here', settings(visit))}
${section('The clock', clockForms(visit), {
  about: 'It only moves forward. What falls due on the way happens in order, retries included.',
})}
${section('Due next', dueNext(visit.context), { live: true })}
${section('Identifiers and other keys', identifiers(visit.context))}`,
};

function settings({ origin, context }: Visit): Html {
  const { accounts } = context.state;
  if (accounts === null) return html`<p>This sandbox was started without accounts.</p>`;
  const lines = [
    ['FORESTALL_SERVICE_URL', origin],
    ['FORESTALL_API_KEY', accounts.organisationKey],
    ['FORESTALL_PARTNER_API_KEY', accounts.partnerKey],
    ['FORESTALL_WEBHOOK_SECRETS', accounts.webhookSecret],
    ['FORESTALL_ORGANISATION_ID', accounts.organisationId],
    ['FORESTALL_INTEGRATION_ID', accounts.integrationId],
  ] as const;
  const all = lines.map(([name, value]) => `${name}=${value}`).join('\n');
  return html`<p class="quiet">The interface is under <code>/v1</code> and <code>/v2</code>, the processor's
contract under <code>/processor</code>; its description is <a href="/openapi.json">openapi.json</a>.</p>
${lines.map(([name, value]) => copyable(name, value))}
<details class="fold" id="environment"><summary>All of it, as an environment file</summary>
${copyable('environment file', all)}</details>`;
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const STEPS = [
  ['1 minute', MINUTE_S],
  ['1 hour', HOUR_S],
  ['12 hours', 12 * HOUR_S],
  ['48 hours', 48 * HOUR_S],
] as const;

function clockForms({ here, context }: Visit): Html {
  const call = 'POST /sandbox/clock';
  const buttons = STEPS.map(([name, seconds]) =>
    form(here, {
      call,
      button: `+ ${name}`,
      done: `The clock has moved by ${name}.`,
      fixed: { advance_seconds: seconds },
      tone: 'plain',
    }),
  );
  const exact = form(here, {
    call,
    button: 'Set the clock',
    done: 'The clock is set.',
    fields: [
      {
        name: 'set',
        label: 'To',
        hint: 'for example 2027-01-31T12:00:00Z',
        required: true,
        wide: true,
      },
    ],
  });
  const signatures = form(here, {
    call: 'PATCH /sandbox/clock',
    button: 'Use it',
    done: 'Signatures carry that time from now on.',
    fields: [
      {
        name: 'signature_time',
        label: 'Signatures carry',
        options: [
          ['real', 'the real time, as any other program expects'],
          ['sandbox', 'the time of this clock'],
        ],
        value: context.signatureTime,
        wide: true,
      },
    ],
    tone: 'plain',
  });
  return html`<div class="buttons">${buttons}</div>${exact}${signatures}`;
}

const DUE: Readonly<Record<TimerKind, string>> = {
  deliver_webhook: 'a webhook is delivered',
  match_alert: 'an alert is matched with the orders',
  move_enrolment: 'an enrolment moves on',
  answer_lookup: 'a lookup is answered',
  settle_refund: 'a refund settles',
  tell_processor_event: 'the processor tells of something',
  late_call: 'a call that was held back is executed',
};

/** What is shown of the queue. */
const DUE_MAX = 8;

function dueNext(context: SandboxContext): Html {
  const pending = context.timers.pending();
  if (pending.length === 0) return html`<p class="quiet">Nothing.</p>`;
  const more = pending.length - DUE_MAX;
  return html`<ul class="plain">${pending.slice(0, DUE_MAX).map(dueLine)}</ul>
${more > 0 ? html`<p class="quiet">and ${more} more.</p>` : ''}`;
}

function dueLine({ dueMs, kind, subject }: Timer): Html {
  return html`<li>${moment(dueMs)}: ${DUE[kind]} <span class="quiet">${subject}</span></li>`;
}

function identifiers({ state }: SandboxContext): Html {
  const { accounts } = state;
  const ids = Object.entries(accounts ?? {}).filter(([name]) => /Id$/.test(name));
  const seeded = new Set([accounts?.organisationKey, accounts?.partnerKey]);
  const others = [...state.keys.values()].filter(({ token }) => !seeded.has(token));
  return html`${ids.map(([name, id]) => copyable(wordsOf(name), id))}${others.map(keyLine)}`;
}

/** `alertEnrolmentId` as `alert enrolment`. */
function wordsOf(name: string): string {
  return name.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function keyLine({ level, owner_id: owner, token }: ApiKey): Html {
  return copyable(`${level} key of ${owner}`, token);
}

/** The session as a whole: how much there is, saving it as a story or a snapshot, starting over. */
export const sessionView: View = {
  path: '/sandbox/page/session',
  title: 'Session',
  render: (visit) => html`${section('What it holds', counts(visit), { live: true })}
${section('Save it', SAVE)}
${section('Start over', reset(visit))}`,
};

function counts({ context }: Visit): Html {
  return facts(
    Object.entries(countAll(context.state)).map(([name, count]) => [
      name.replaceAll('_', ' '),
      String(count),
    ]),
  );
}

const SAVE = html`<ul class="plain">
<li><a href="/sandbox/recording">Everything since the start or the last reset, as a scenario file</a>:
calls, time, events, deliveries. It runs as a test:
<code>forestall sandbox --scenario recorded.yaml --once</code>. What a program did in code, as the demonstration of
<code>forestall start</code> does, is not in it.</li>
<li><a href="/sandbox/snapshot" download="snapshot.json">What the sandbox knows, as a snapshot</a>, to continue
from later: <code>forestall sandbox --snapshot snapshot.json</code></li>
</ul>`;

function reset({ here }: Visit): Html {
  return html`<p>The time stays, and so do the accounts with their ids, keys and secrets, and what the sandbox was started
with. Everything else is forgotten: alerts, orders, payments, what a seed file brought, faults, logs.</p>
<details class="fold" id="reset"><summary>Reset the sandbox</summary>${form(here, {
    call: 'POST /sandbox/reset',
    button: 'Forget everything',
    done: 'The sandbox starts over.',
    tone: 'danger',
  })}</details>`;
}
