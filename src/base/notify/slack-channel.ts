/** Posts messages as Slack-compatible JSON: `{text}`. */
import type { Channel } from './channel.ts';
import { ChannelError } from './channel.ts';
import { renderText } from './message.ts';
import type { PostJson, PostOptions } from './post.ts';
import { createPost } from './post.ts';

/** @throws {ConfigError} when the URL may never be posted to */
export function createSlackChannel(options: PostOptions & { readonly post?: PostJson }): Channel {
  const post = options.post ?? createPost(options);
  return {
    name: 'slack',
    async send(message): Promise<void> {
      await deliver(post, { text: renderText(message) });
    },
  };
}

/** Posts, and takes nothing but a 2xx for arrival. */
export async function deliver(post: PostJson, document: unknown): Promise<void> {
  const status = await post(document);
  if (status < 200 || status >= 300) throw new ChannelError(`HTTP ${status}`);
}
