/**
 * Each form of a page has an id of its own. It is noted before anything is done and again when it ended, so that a person
 * whose form got no answer can look whether it was carried out, and a form that is sent twice is carried out once.
 */
import type { Request, Response } from 'express';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { moment } from '../view/time.ts';
import { RequestRefused } from './fault.ts';
import { isFormId, SENT_AS } from './form-id.ts';
import type { DoorOptions } from './ports.ts';
import type { FormState, SentForm } from './sent-form.store.ts';
import { beginForm, endForm } from './sent-form.store.ts';
import type { SentState } from './sent-form.table.ts';

/** The form that a request was sent with, and what its handler answered. */
const ids = new WeakMap<Request, string>();
const answers = new WeakMap<Response, SentState>();

/** The id of the form that was sent; undefined: it has none, or has not been read yet. */
export function formIdOf(request: Request): string | undefined {
  return ids.get(request);
}

/** Notes what a handler is about to answer; the first word counts. */
export function noteAnswer(response: Response, state: 'DONE' | 'REFUSED'): void {
  if (!answers.has(response)) answers.set(response, state);
}

interface Sent {
  readonly options: DoorOptions;
  readonly request: Request;
  readonly response: Response;
  readonly who: { readonly name: string };
  readonly now: Date;
}

/** Takes the id out of the form's fields, which pages then read as if there were none. */
function takeId(request: Request): string | undefined {
  const body: unknown = request.body;
  if (typeof body !== 'string' || !body.includes(`${SENT_AS}=`)) return undefined;
  const fields = new URLSearchParams(body);
  const id = fields.get(SENT_AS);
  fields.delete(SENT_AS);
  request.body = fields.toString();
  return isFormId(id) ? id : undefined;
}

/**
 * Carries out a form once. What a page asks in the background, while somebody types, is no form that was sent.
 *
 * @param again it was sent before: nothing is done
 */
export async function onceOnly(
  visit: Sent,
  act: () => Promise<void>,
  again: (id: string) => void,
): Promise<void> {
  const { request, response, options, who, now } = visit;
  const id = request.method === 'POST' ? takeId(request) : undefined;
  if (id === undefined || request.get('hx-request') !== undefined) return await act();
  const { db, organisationId } = options;
  const form: SentForm = { organisationId, id, operator: who.name, now };
  if (!(await beginForm(db, form))) return again(id);
  ids.set(request, id);
  let isNoted = false;
  const end = async (state: SentState): Promise<void> => {
    if (isNoted) return;
    isNoted = true;
    try {
      await endForm(db, { ...form, now: nowDate(options.clock) }, state);
    } catch (error) {
      // Then its end is not known, which is what its row says.
      options.log.warn({ err: error }, 'what came of a form could not be noted');
    }
  };
  answerAfter(response, end);
  try {
    await act();
  } catch (error) {
    // A page that took too long was answered already; what it did is done.
    const said = answers.get(response);
    const isRefused = error instanceof RequestRefused;
    await end(said ?? (isRefused ? 'REFUSED' : 'FAILED'));
    throw error;
  }
  await end(answers.get(response) ?? (response.statusCode < 400 ? 'DONE' : 'REFUSED'));
}

/** What a handler answers goes out once it is noted: a person who has read it is told nothing else. */
function answerAfter(response: Response, note: (state: SentState) => Promise<void>): void {
  const { end } = response;
  const later = (...given: Parameters<typeof end>): Response => {
    Object.assign(response, { end });
    const said = answers.get(response);
    const go = (): void => {
      // It took too long, and has been answered.
      if (!response.writableEnded) end.apply(response, given);
    };
    if (said === undefined) go();
    else void note(said).then(go);
    return response;
  };
  Object.assign(response, { end: later });
}

/** The outcome, as a person reads it. */
export function sentWords(found: FormState | undefined): Html {
  if (found === undefined) return html`It has not arrived here.`;
  const at = moment(found.at);
  switch (found.state) {
    case 'DONE':
      return html`It was carried out at ${at}. Do not send it again.`;
    case 'REFUSED':
      return html`It was refused at ${at}, and not carried out.`;
    case 'FAILED':
      return html`It broke off at ${at}, and some of it may be done. Look before you send it again.`;
    case 'BEGUN':
      return html`It began at ${at}, and has not ended or its end is not known. Look again in a moment, and before you send it again.`;
    case 'WITHDRAWN':
      return html`It had not arrived at ${at}, and is not carried out: when it comes it is refused.`;
    default:
      return found.state satisfies never;
  }
}
