/** The webhook endpoint: its secret, and whether the world reaches it over TLS. */
import { X509Certificate } from 'node:crypto';
import { DOCTOR_AGENT } from '../../alerts/receive/receiver.ts';
import { secretIdOf } from '../../alerts/receive/signature.ts';
import type { Db } from '../../base/db/database.ts';
import { certificateEndOf } from '../../base/http/handshake.ts';
import { readTls } from '../../base/http/tls-files.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf, reasonOf } from '../../base/kernel/errors.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { readHealthFacts } from '../../health/health.store.ts';
import { CERTIFICATE_WARNING_MS, refusedCauses } from '../../health/health-causes.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';
import { lastVerifiedWebhook } from './doctor.store.ts';

/** What the dashboard shows secrets to begin with. */
const SECRET_PREFIX = 'whsec_';

/** Longest wait for the endpoint, in milliseconds. */
const ENDPOINT_MS_MAX = 3_000;

export const secretLines: DoctorCheck = async (context) => {
  const name = 'signing secret';
  const { webhookSecrets, rows } = context;
  const odd = webhookSecrets.filter((secret) => !secret.startsWith(SECRET_PREFIX)).length;
  const step = 'Copy it from the dashboard, Settings, Webhooks, as it is shown.';
  if (webhookSecrets.length === 0) return [failed(name, 'none is set', step)];
  if (odd > 0) {
    const detail = `${odd} of ${webhookSecrets.length} do not begin with ${SECRET_PREFIX}`;
    return [warning(name, detail, step)];
  }
  if ('problem' in rows) return [ok(name, `${webhookSecrets.length} set`)];
  return [await provenLine(context, rows.value)];
};

/** Only a webhook that was accepted proves a secret. */
async function provenLine(
  { webhookSecrets, service, clock }: DoctorContext,
  db: Db,
): Promise<StatusLine> {
  const name = 'signing secret';
  const { organisationId } = service;
  const last = await lastVerifiedWebhook(db, organisationId);
  const now = nowDate(clock);
  const { signs } = await readHealthFacts(db, { organisationId, now });
  const [refused] = refusedCauses({ lastWebhookAt: last?.receivedAt ?? null, signs });
  if (refused !== undefined) return failed(name, refused.detail, refused.nextStep);
  const count = `${webhookSecrets.length} set`;
  if (last === undefined) {
    const step = 'Raise a test alert, or send a test event from the dashboard, and look again.';
    return warning(name, `${count}; no webhook was ever accepted`, step);
  }
  const detail = `${count}; the last webhook was accepted at ${last.receivedAt.toISOString()}`;
  const place = webhookSecrets.map(secretIdOf).indexOf(last.secretId);
  if (place === 0) return ok(name, detail);
  return place === -1
    ? warning(
        name,
        `${detail}, signed with a secret that is not set any more`,
        'Compare FORESTALL_WEBHOOK_SECRETS with the dashboard.',
      )
    : warning(
        name,
        `${detail}, signed with an older secret`,
        'Finish the rotation in the dashboard, then drop the old secret.',
      );
}

/** The certificate that our own listener serves, as the start reads it. Silent where a proxy speaks TLS. */
export const ownCertificateLines: DoctorCheck = async ({ settings: { tls }, clock }) => {
  if (tls === undefined) return [];
  const name = 'own certificate';
  try {
    const endsAt = new Date(new X509Certificate(readTls(tls).cert).validTo);
    const step =
      'Renew FORESTALL_TLS_CERT and FORESTALL_TLS_KEY; they are read again without a restart.';
    const leftMs = endsAt.getTime() - clock.nowMs();
    const day = endsAt.toISOString();
    if (leftMs <= 0) return [failed(name, `it ended at ${day}`, step)];
    return [
      leftMs < CERTIFICATE_WARNING_MS
        ? warning(name, `it ends at ${day}`, step)
        : ok(name, `valid until ${day}, and its key belongs to it`),
    ];
  } catch (error) {
    const step = 'Let both name PEM files that belong together; nothing starts like this.';
    return [failed(name, messageOf(error), step)];
  }
};

export const endpointLines: DoctorCheck = async (context) => {
  const name = 'endpoint';
  const { webhookUrl, isSandbox } = context;
  if (webhookUrl === undefined) {
    const step =
      'Set FORESTALL_WEBHOOK_URL to the address that the dashboard holds, and it is checked from here.';
    return [warning(name, 'its public address is not known here', step)];
  }
  const url = new URL(webhookUrl);
  if (url.protocol !== 'https:' && !isSandbox) {
    return [
      failed(name, 'the address is not https', 'Serve it over TLS; see the deployment guides.'),
    ];
  }
  return await Promise.all([
    reach(url),
    ...(url.protocol === 'https:' ? [certificateLine(context, url)] : []),
  ]);
};

/** Webhooks are POSTed; our listener answers 405 to a GET there, and nothing else does. */
async function reach(url: URL): Promise<StatusLine> {
  const name = 'endpoint';
  try {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { 'user-agent': DOCTOR_AGENT },
      signal: AbortSignal.timeout(ENDPOINT_MS_MAX),
    });
    await answer.body?.cancel();
    if (answer.status === 405) return ok(name, 'reached; it takes POST only, as it should');
    return failed(
      name,
      `something else answers there (status ${answer.status})`,
      'Let the address lead to /webhooks of "forestall serve", without redirects.',
    );
  } catch (error) {
    const step = 'Check DNS, the proxy, the certificate, and that "forestall serve" runs.';
    return failed(name, `not reached: ${causeOf(error)}`, step);
  }
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? reasonOf(error.cause)
    : reasonOf(error);
}

async function certificateLine({ clock }: DoctorContext, url: URL): Promise<StatusLine> {
  const name = 'TLS certificate';
  const endsAt = await certificateEndOf(url, ENDPOINT_MS_MAX);
  if (endsAt === undefined) {
    return failed(name, 'none that can be read', 'Check the certificate of the proxy.');
  }
  const leftMs = endsAt.getTime() - clock.nowMs();
  const detail = `valid until ${endsAt.toISOString()}`;
  return leftMs < CERTIFICATE_WARNING_MS
    ? warning(name, detail, 'Renew it: once it has ended, no webhook arrives any more.')
    : ok(name, detail);
}
