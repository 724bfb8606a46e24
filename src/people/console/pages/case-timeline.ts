/**
 * One timeline of a case: what the service told us, what we decided, did and declared, what people did,
 * what they were told. The entries are in the order of their moments.
 */

import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import type { CaseNotes } from '../../../alerts/list/case-notes.store.ts';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Telling } from '../../../base/notify/notification.store.ts';
import { tellingOf } from '../../../base/notify/notification.store.ts';
import { actionWords, plainCode } from '../../../service/wire/code-words.ts';
import { changedFields } from '../../../surface/view/changed-fields.ts';
import { statesInWords } from '../../../surface/view/codes.ts';
import { money } from '../../../surface/view/money.ts';
import { moment, secondsMoment } from '../../../surface/view/time.ts';
import { STATE_WORDS } from '../../../surface/view/words.ts';
import { reasonOf } from './case-description.ts';
import { kindWords } from './finding-list.ts';

/** What kind of step it was: tells its dot on the line. */
type Kind = 'told' | 'step' | 'money-step' | 'decision-step' | 'person-step';

interface Entry {
  readonly at: Date;
  readonly kind: Kind;
  readonly body: HtmlValue;
}

export interface Remark {
  readonly at: Date;
  readonly by: string;
  readonly text: string;
}

/** The timeline, oldest first. */
export function timeline(detail: AlertDetail, notes: CaseNotes, remarks: readonly Remark[]): Html {
  const entries = [
    ...detail.changes.map(changeEntry),
    ...detail.audit.map(auditEntry),
    ...detail.decisions.map(decisionEntry),
    ...detail.movements.flatMap(movementEntries),
    ...notes.messages.map(messageEntry),
    ...notes.findings.map(findingEntry),
    ...notes.pushes.map(pushEntry),
    ...remarks.map(remarkEntry),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  if (entries.length === 0) return html`<p class="quiet">Nothing has happened yet.</p>`;
  return html`<ol class="timeline">${entries.map(
    ({ at, kind, body }) =>
      html`<li class="${kind}"><p class="when">${secondsMoment(at)}</p><p>${body}</p></li>`,
  )}</ol>`;
}

function changeEntry(change: AlertDetail['changes'][number]): Entry {
  const event = change.event_id;
  const how =
    change.source === 'poll'
      ? html`polling`
      : html`a webhook${event !== null && html`, <a href="/events/${encodeURIComponent(event)}">its event</a>`}`;
  return { at: change.changed_at, kind: 'told', body: changeWords(change, how) };
}

function changeWords(change: AlertDetail['changes'][number], how: Html): Html {
  if (!change.accepted)
    return html`A late delivery told nothing new, by ${how}: kept without effect.`;
  if (change.before === null) return html`The service told us of the alert, by ${how}.`;
  const fields = changedFields(change.before, change.after).map(
    ({ field, from, to }) => html`<br><code>${field}</code>: ${textOf(from)} → ${textOf(to)}`,
  );
  return html`The service told us of a change, by ${how}.${fields}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function auditEntry(entry: AlertDetail['audit'][number]): Entry {
  const isMove =
    entry.from_state !== null && entry.to_state !== null && entry.from_state !== entry.to_state;
  const who = entry.actor.startsWith('operator:')
    ? html`<strong>${entry.actor.slice('operator:'.length)}</strong>`
    : html`${entry.actor}`;
  const details = Object.entries(entry.detail).map(([name, value]) => `${name} ${textOf(value)}`);
  const body = html`${who}: ${subjectWords(entry.subject)}${statesInWords(entry.what)}${isMove && html` <span class="quiet">${stateName(entry.from_state)} → ${stateName(entry.to_state)}</span>`}${details.length > 0 && html` <span class="quiet">(${details.join(', ')})</span>`}`;
  return { at: entry.at, kind: kindOf(entry), body };
}

/** As every list says it, where it is a state of a case. */
function stateName(state: string | null): string {
  const known = CASE_STATES.find((each) => each === state);
  return known === undefined ? plainCode(state ?? '') : STATE_WORDS[known][0];
}

function subjectWords(subject: string): string {
  return subject === 'case' || subject === 'operator' ? '' : `${subject}, `;
}

function kindOf({ subject, actor }: AlertDetail['audit'][number]): Kind {
  if (actor.startsWith('operator:')) return 'person-step';
  return subject === 'refund' || subject === 'movement' || subject === 'declaration'
    ? 'money-step'
    : 'step';
}

function decisionEntry(row: AlertDetail['decisions'][number]): Entry {
  const reason = reasonOf(row);
  const body = html`Decided <strong title="${row.action}">${actionWords(row.action)}</strong>${row.shadow && ' (shadow)'} by ${row.decided_by}${row.rule !== null && html`, rule <code>${row.rule}</code>`}${row.guard !== null && html`, guard <code>${row.guard}</code>`}: ${statesInWords(row.sentence)}${reason !== null && html` <strong>Reason:</strong> ${reason}`}`;
  return { at: row.decided_at, kind: 'decision-step', body };
}

/** A refund call of ours and its end, with the amount, whichever alert of the dispute began it. */
function movementEntries(row: AlertDetail['movements'][number]): Entry[] {
  const sum = money({ amountMinor: row.amount_minor, currency: row.currency });
  const { idempotency_key: key, processor_reference: reference } = row;
  if (key === null) {
    const who = row.kind === 'network' ? 'the network' : (row.observed_from ?? 'the processor');
    return [
      entryOf(
        row.created_at,
        html`${sum} (${row.kind}) seen, by ${who}: ${statesInWords(row.state)}.`,
      ),
    ];
  }
  return [
    ...(row.first_sent_at === null
      ? []
      : [
          entryOf(
            row.first_sent_at,
            html`Refund of ${sum} first sent to the processor, key <code>${key}</code>.`,
          ),
        ]),
    ...(row.confirmed_at === null
      ? []
      : [
          entryOf(
            row.confirmed_at,
            html`The processor confirmed the refund of ${sum}${reference !== null && html` as <code>${reference}</code>`}.`,
          ),
        ]),
  ];
}

function entryOf(at: Date, body: Html): Entry {
  return { at, kind: 'money-step', body };
}

type TellingWords = (severity: string, channel: string | null) => string;

/** Whether people were told: `told` once a channel took the message. */
const TELLING_WORDS: Readonly<Record<Telling, TellingWords>> = {
  told: (severity, channel) =>
    `People were told (${severity}${channel === null ? '' : `, by ${channel}`})`,
  logged: (severity) =>
    `Nobody was notified (${severity}): no channel is set, so the message went to the log only`,
  waiting: (severity) => `Nobody has been notified yet (${severity})`,
  given_up: (severity) => `Nobody was notified (${severity}): the message was given up`,
};

function messageEntry(message: CaseNotes['messages'][number]): Entry {
  const { severity, text } = message;
  const body = html`${TELLING_WORDS[tellingOf(message)](severity, message.channel)}: ${statesInWords(text)}`;
  return { at: message.created_at, kind: 'step', body };
}

function findingEntry(finding: CaseNotes['findings'][number]): Entry {
  const body = html`A check found: <strong>${kindWords(finding.kind)}</strong>. ${finding.next_step}${finding.closed_at !== null && html` <span class="quiet">Gone since ${moment(finding.closed_at)}.</span>`}`;
  return { at: finding.opened_at, kind: 'step', body };
}

function pushEntry(push: CaseNotes['pushes'][number]): Entry {
  const how = push.state === 'PARKED' ? 'waits for a person' : 'is being sent';
  const body = html`Order <a href="/orders/${encodeURIComponent(push.referenceId)}">${push.referenceId}</a>: <code>${push.part}</code> ${how}${push.reason !== null && html`: ${push.reason}`}.`;
  return { at: push.changedAt, kind: 'step', body };
}

function remarkEntry({ at, by, text }: Remark): Entry {
  return { at, kind: 'person-step', body: html`<strong>${by}</strong> remarked: ${text}` };
}
