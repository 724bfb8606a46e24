/** Sends one webhook request. Only a 2xx within the time limit counts; redirects are not followed. */
import type { SandboxContext } from '../sandbox-context.ts';
import type { Outgoing } from './outgoing.ts';
import { signatureOf } from './outgoing.ts';

export interface ReceiverAnswer {
  readonly status: number;
  /** The beginning of its body. */
  readonly text: string;
}

/** More of a body is not read: it is for people, who look for the reason of a refusal. */
const TEXT_CHARS_MAX = 2_000;

/** Answers what the receiver said. @throws on network errors and when no answer came in time */
export async function send(context: SandboxContext, outgoing: Outgoing): Promise<ReceiverAnswer> {
  const response = await fetch(outgoing.url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([
      AbortSignal.timeout(context.settings.webhookTimeoutMs),
      context.closing.signal,
    ]),
    headers: {
      'Content-Type': 'application/json',
      'X-Signature': signatureOf(outgoing),
      'X-Idempotency-Key': outgoing.deliveryId,
    },
    body: outgoing.sentBody,
  });
  return { status: response.status, text: await beginningOf(response) };
}

/** The status has decided; a body that is endless or breaks off changes nothing. */
async function beginningOf(response: Response): Promise<string> {
  let text = '';
  try {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.length >= TEXT_CHARS_MAX) break;
    }
  } catch {
    // Cut off by the receiver or by the time limit: what came is shown.
  }
  return text.slice(0, TEXT_CHARS_MAX);
}
