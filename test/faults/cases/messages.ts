/** F77: the channels to people are down. What was to be said is kept, repeated, shown, and goes another way. */
import { equal, match, ok } from 'node:assert/strict';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import type { FaultCase } from '../case.ts';
import type { AsideWorld } from '../rig/aside.ts';
import { openMailbox } from '../rig/mailbox.ts';
import { privatePortOf } from '../rig/rig.ts';
import { send } from '../rig/sign.ts';
import { until } from '../rig/until.ts';
import { aside } from './odd-alerts.ts';

const MINUTE_MS = 60_000;

async function channelsDown(world: AsideWorld): Promise<string> {
  const port = await freePort();
  const env = {
    // A name that no resolver knows, and a mail server that is not there yet.
    FORESTALL_NOTIFY_URL: 'https://chat.invalid/hook',
    FORESTALL_NOTIFY_SMTP_URL: `smtp://127.0.0.1:${port}`,
    FORESTALL_NOTIFY_EMAIL_FROM: 'forestall@shop.example',
    FORESTALL_NOTIFY_EMAIL_TO: 'people@shop.example',
  };
  const { alertId } = await world.dispute({}, { amount_in_cents: 90_000 });
  const worker = await world.start('work', env);
  const serve = await world.start('serve', env);
  const row = async (): Promise<Record<string, unknown> | undefined> =>
    (
      await world.database.sql(
        `select attempts, sent_at, last_error from notification
          where alert_id = $1 and kind = 'case_held'`,
        [alertId],
      )
    )[0];
  const tried = async (count: number): Promise<Record<string, unknown>> =>
    await until(`the message was tried ${count} times`, async () => {
      const now = await row();
      return Number(now?.['attempts'] ?? 0) >= count && now;
    });
  const kept = await tried(2);
  equal(kept['sent_at'], null, 'it is kept');
  match(String(kept['last_error']), /slack: .*; email: /, 'both channels were tried');
  match(worker.text(), /notification not delivered/);
  const readiness = async (of: typeof serve): Promise<{ status: number; body: string }> =>
    await send({ port: await privatePortOf(of), method: 'GET', path: '/readyz' });
  match((await readiness(serve)).body, /"notifying":"ok"/, 'a few seconds are no news');

  await world.pass(6 * MINUTE_MS);
  await world.start('work', env);
  const later = await world.start('serve', env);
  const shown = await readiness(later);
  equal(shown.status, 200, 'deliveries are taken in all the same');
  match(shown.body, /"notifying":"the oldest of [1-9]\d* waiting messages? waits for \d+ s/);

  const mailbox = await openMailbox(port);
  try {
    const mail = await until('it arrives by the second channel', async () =>
      mailbox.messages.find((message) => message.includes(alertId)),
    );
    match(mail, /^To: people@shop\.example/m);
    await until('people hear that the first channel is down', async () =>
      mailbox.messages.some((message) => /channel does not take messages/.test(unfolded(message))),
    );
    const arrived = mailbox.messages.filter((message) => message.includes(alertId));
    equal(new Set(arrived.map(messageId)).size, 1, 'a repeat would carry the same id');
    const sent = await until('it is marked as sent', async () => {
      const now = await row();
      return now?.['sent_at'] !== null && now;
    });
    ok(Number(sent['attempts']) >= 2);
    await until('readiness is quiet again', async () =>
      /"notifying":"ok"/.test((await readiness(later)).body),
    );
    return `kept over ${kept['attempts']} attempts and a restart, shown by readiness, then taken by the second channel, which also says that the first is down`;
  } finally {
    mailbox.close();
  }
}

/** Mail breaks long lines by an equals sign at their end. */
const unfolded = (message: string): string => message.replaceAll('=\r\n', '');

const messageId = (message: string): string => /^Message-ID: (\S+)/im.exec(message)?.[1] ?? '';

export const MESSAGE_CASES: readonly FaultCase[] = [
  { id: 'F77', place: 'shared', run: aside(channelsDown) },
];
