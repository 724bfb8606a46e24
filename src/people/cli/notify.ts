/** `forestall notify test`: sends a message through every channel, and says what each answered. */
import type { Command } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Channel } from '../../base/notify/channel.ts';
import { failureOf } from '../../base/notify/channel.ts';
import { linkTo } from '../../base/notify/message.ts';
import { openChannels } from '../../base/notify/notify-settings.ts';
import { readCommandSettings } from '../../running/config.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { runCommand } from './lifecycle.ts';

export function registerNotify(program: Command): void {
  program
    .command('notify')
    .command('test')
    .description(
      'sends a test message through every channel that is set; exit status 1 when one fails',
    )
    .option('--json', 'print JSON')
    .action(async (flags: { readonly json?: boolean }) => {
      await runCommand(async () => {
        const { notify } = readCommandSettings();
        const channels = openChannels(notify, systemClock);
        if (channels.length === 0) {
          throw new ConfigError(
            'No channel is set, so messages go to the log. Set FORESTALL_NOTIFY_URL, FORESTALL_NOTIFY_WEBHOOK_URL or FORESTALL_NOTIFY_SMTP_URL.',
          );
        }
        const results = await testChannels(
          channels,
          linkTo({ consoleUrl: notify.consoleUrl }, null),
        );
        print(flags, results, show(results));
        if (results.some(({ ok }) => !ok)) process.exitCode = EXIT.wrong;
      });
    });
}

interface ChannelTest {
  readonly channel: string;
  readonly ok: boolean;
  /** Why it did not arrive; null when it did. */
  readonly failure: string | null;
}

async function testChannels(
  channels: readonly Channel[],
  link: string | null,
): Promise<ChannelTest[]> {
  const createdAt = new Date(systemClock.nowMs());
  const results: ChannelTest[] = [];
  for (const channel of channels) {
    try {
      await channel.send({
        id: `ntf_test_${createdAt.getTime()}`,
        kind: 'test',
        severity: 'info',
        organisation: null,
        text: 'This is a test. Messages about alerts that need a person will arrive here.',
        alertId: null,
        link,
        createdAt,
      });
      results.push({ channel: channel.name, ok: true, failure: null });
    } catch (error) {
      results.push({ channel: channel.name, ok: false, failure: failureOf(error) });
    }
  }
  return results;
}

/** Which setting leads to a channel. */
const SETTINGS: Readonly<Record<string, string>> = {
  slack: 'FORESTALL_NOTIFY_URL',
  webhook: 'FORESTALL_NOTIFY_WEBHOOK_URL',
  email: 'FORESTALL_NOTIFY_SMTP_URL',
};

function show(results: readonly ChannelTest[]): string {
  return results
    .map(({ channel, failure }) =>
      failure === null
        ? `ok    ${channel}`
        : `FAIL  ${channel}: ${failure}. Check ${SETTINGS[channel] ?? 'its settings'}.`,
    )
    .join('\n');
}
