/**
 * Posts messages as JSON: to Slack as `{text}`; to a merchant's own endpoint signed as the interface signs its webhooks:
 * `X-Signature: t=…,v1=…`, HMAC-SHA512 in lower-case hex over `<t>.<body>`. The verifier that takes
 * in the service's webhooks therefore takes in these too.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { nowIso } from '../kernel/clock.ts';
import { ConfigError } from '../kernel/errors.ts';
import type { Channel, OutgoingMessage } from './channel.ts';
import { ChannelError } from './channel.ts';
import { renderText } from './message.ts';
import type { PostJson, PostOptions } from './post.ts';
import { createPost } from './post.ts';

/** Options of {@link createWebhookChannel}. */
export interface WebhookChannelOptions extends PostOptions {
  readonly secret: string;
  readonly clock: Clock;
}

/** @throws {ConfigError} when the URL may never be posted to, or the secret is empty */
export function createWebhookChannel(options: WebhookChannelOptions): Channel {
  const { secret, clock } = options;
  if (secret === '') {
    throw new ConfigError('The webhook has no secret. Set FORESTALL_NOTIFY_WEBHOOK_SECRET.');
  }
  const post = createPost({
    ...options,
    headersOf: (body) => ({ 'x-signature': signBody(body, secret, clock) }),
  });
  return {
    name: 'webhook',
    send: async (message): Promise<void> => await deliver(post, documentOf(message, clock)),
    ...reachOf(post),
  };
}

/** The signature header of a body at this moment. */
function signBody(body: string, secret: string, clock: Clock): string {
  const atSeconds = Math.floor(clock.nowMs() / 1_000);
  const digest = createHmac('sha512', secret).update(`${atSeconds}.${body}`).digest('hex');
  return `t=${atSeconds},v1=${digest}`;
}

function documentOf(message: OutgoingMessage, clock: Clock): Record<string, unknown> {
  return {
    id: message.id,
    kind: message.kind,
    severity: message.severity,
    text: message.text,
    ...(message.organisation === null ? {} : { organisation: message.organisation }),
    alert_id: message.alertId,
    link: message.link,
    created_at: message.createdAt.toISOString(),
    sent_at: nowIso(clock),
  };
}

/** @throws {ConfigError} when the URL may never be posted to */
export function createSlackChannel(options: PostOptions & { readonly post?: PostJson }): Channel {
  const post = options.post ?? createPost(options);
  return {
    name: 'slack',
    async send(message): Promise<void> {
      await deliver(post, { text: renderText(message) });
    },
    ...reachOf(post),
  };
}

function reachOf({ reach }: PostJson): Pick<Channel, 'reach'> {
  return reach === undefined ? {} : { reach };
}

/** Posts, and takes nothing but a 2xx for arrival. */
async function deliver(post: PostJson, document: unknown): Promise<void> {
  const status = await post(document);
  if (status < 200 || status >= 300) throw new ChannelError(`HTTP ${status}`);
}
