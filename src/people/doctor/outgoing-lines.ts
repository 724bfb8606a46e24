/** Where we call out besides the service and the processor: people, the identity provider, the merchant's actions. */
import { shakeHands, whyNoHandshake } from '../../base/http/handshake.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import type { Channel } from '../../base/notify/channel.ts';
import { ChannelError } from '../../base/notify/channel.ts';
import { channelNames, openChannels } from '../../base/notify/notify-settings.ts';
import { reachIssuer } from '../../surface/access/oidc.ts';
import type { DoctorCheck } from './context.ts';
import { undelivered } from './doctor.store.ts';

/** Longest wait for each of them, in milliseconds. */
const REACH_MS_MAX = 3_000;

const TRY = 'Try it with: forestall notify test';

/** Tries the channels in their order, without a message. */
export const notifyLines: DoctorCheck = async ({ settings, service, rows }) => {
  const name = 'notifications';
  const names = channelNames(settings.notify);
  if (names.length === 0) {
    const step = 'Set FORESTALL_NOTIFY_URL, or the webhook or e-mail settings.';
    return [warning(name, 'no target: alarms go to the log only', step)];
  }
  let channels: readonly Channel[];
  try {
    channels = openChannels(settings.notify, systemClock);
  } catch (error) {
    return [failed(name, messageOf(error), 'Correct the setting; nothing starts like this.')];
  }
  const found = await Promise.all(channels.map(whyNotReached));
  const away = names.flatMap((channel, index) =>
    found[index] === undefined ? [] : [`${channel}: ${found[index]}`],
  );
  const detail = names.join(', then ');
  if (away.length > 0) {
    const tell = away.length === names.length ? failed : warning;
    const problem = away.length === names.length ? away : [detail, ...away];
    const step = `Check the address in the setting of this channel, and the way there. ${TRY}`;
    return [tell(name, problem.join('; '), step)];
  }
  if ('problem' in rows) return [ok(name, detail)];
  const { waiting } = await undelivered(rows.value, service.organisationId);
  if (waiting === 0) return [ok(name, detail)];
  return [warning(name, `${detail}; ${waiting} messages wait to be repeated`, TRY)];
};

async function whyNotReached(channel: Channel): Promise<string | undefined> {
  try {
    await channel.reach?.(REACH_MS_MAX);
    return undefined;
  } catch (error) {
    return error instanceof ChannelError ? `refused (${error.message})` : whyNoHandshake(error);
  }
}

/** Whether people can sign in at their identity provider. Silent where none is set. */
export const signInLines: DoctorCheck = async ({ settings }) => {
  const oidc = settings.console?.oidc;
  if (oidc === undefined) return [];
  const name = 'identity provider';
  try {
    await reachIssuer(oidc, REACH_MS_MAX);
    return [ok(name, 'it describes itself, as sign-in needs it')];
  } catch (error) {
    const step =
      'Compare FORESTALL_OIDC_ISSUER with the address that the provider names; check DNS and the way there.';
    return [failed(name, `nobody can sign in by it: ${whyNoIssuer(error)}`, step)];
  }
};

function whyNoIssuer(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return whyNoHandshake(cause);
  const { name = '' } = error instanceof Error ? error : {};
  return name === 'TimeoutError' || (cause instanceof Error && cause.name === 'TimeoutError')
    ? 'it does not answer'
    : 'what answers there is not the provider of this address';
}

/** Whether the merchant's own endpoint for side actions is there. Silent where none is set. */
export const actionLines: DoctorCheck = async ({ settings }): Promise<StatusLine[]> => {
  const url = settings.guard?.actions?.url;
  if (url === undefined) return [];
  const name = 'actions endpoint';
  try {
    await shakeHands(new URL(url), { timeoutMs: REACH_MS_MAX });
    return [ok(name, 'reached; what it answers shows with the first action')];
  } catch (error) {
    const step = 'Check FORESTALL_ACTIONS_URL, its DNS entry and certificate, and that it runs.';
    return [failed(name, whyNoHandshake(error), step)];
  }
};
