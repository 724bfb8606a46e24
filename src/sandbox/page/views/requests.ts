/** The request log: what was asked of the interface and of the processor, and what was answered. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { RequestEntry, RequestLog } from '../../request-log.ts';
import { ROUTES } from '../../routes.ts';
import { breakFields, CALL_WAYS, callWay, faultRows } from '../faults.ts';
import type { Field } from '../forms.ts';
import { form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import type { Row } from '../pieces.ts';
import { facts, mark, moment, newest, prettyJson, rows, section } from '../pieces.ts';

export function requestsView(requestLog: RequestLog): View {
  return {
    path: '/sandbox/page/requests',
    title: 'Requests',
    render: (
      visit,
    ) => html`${section('The newest requests', requestRows(requestLog), { live: true })}
${section('Break an operation for a while', breaking(visit))}
${section('What is broken', faultRows(visit), { live: true })}`,
  };
}

function requestRows(requestLog: RequestLog): Html {
  const all = requestLog.all();
  const list = newest(all).map(
    (entry, index): Row => ({
      id: `request-${all.length - index}`,
      title: html`${entry.method} <span class="path">${entry.path}</span>`,
      state: mark(entry.status),
      aside: entry.at.slice(11, 19),
      body: requestDetails(entry),
    }),
  );
  return rows(list, 'None yet.');
}

function requestDetails(entry: RequestEntry): Html {
  const sent = entry.body === undefined ? '' : JSON.stringify(entry.body);
  return html`${facts([
    ['At', moment(entry.at)],
    ['Operation', entry.endpoint ?? 'none of the interface'],
    ['Key', entry.key_id],
    ['Broken on purpose', callWay(entry.fault)],
  ])}
<h3>What was sent</h3>${prettyJson(sent, `Sent to ${entry.path}`)}
<h3>What was answered</h3>${prettyJson(entry.answer, `Answered by ${entry.path}`)}`;
}

const PROCESSOR_CALLS = [
  'GET /processor/charges',
  'POST /processor/refunds',
  'GET /processor/refunds',
];

function breaking({ here }: Visit): Html {
  const operations = [...ROUTES.map(({ method, path }) => `${method} ${path}`), ...PROCESSOR_CALLS];
  const targets: Field['options'] = [
    ['PATCH /v1/alerts/{alert_id}', 'PATCH /v1/alerts/{alert_id}'],
    ['*', 'every operation'],
    ...operations
      .filter((name) => name !== 'PATCH /v1/alerts/{alert_id}')
      .map((name) => [name, name] as const),
  ];
  return form(here, {
    call: 'POST /sandbox/faults',
    button: 'Break it',
    done: 'Broken:',
    fields: [
      { name: 'on', label: 'Operation', options: targets, wide: true },
      { name: 'kind', label: 'How', options: CALL_WAYS, wide: true },
      {
        name: 'status:number',
        label: 'Status',
        value: '503',
        options: ['500', '503', '429', '401', '404', '422'].map((status) => [status, status]),
      },
      { name: 'delay_ms:number', label: 'Wait first', hint: 'milliseconds' },
      ...breakFields(),
    ],
    tone: 'danger',
  });
}
