/** The webhook endpoint: its secret, and whether the world reaches it over TLS. */
import { connect } from 'node:tls';
import { DOCTOR_AGENT } from '../../alerts/receive/receiver.ts';
import { secretIdOf } from '../../alerts/receive/signature.ts';
import type { Db } from '../../base/db/database.ts';
import { reasonOf } from '../../base/kernel/errors.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';
import { lastVerifiedWebhook } from './doctor.store.ts';

/** What the dashboard shows secrets to begin with. */
const SECRET_PREFIX = 'whsec_';

/** Longest wait for the endpoint, in milliseconds. */
const ENDPOINT_MS_MAX = 3_000;

/** A certificate that ends within this time is told about, in milliseconds. */
const CERTIFICATE_WARNING_MS = 14 * 24 * 60 * 60_000;

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
async function provenLine({ webhookSecrets, service }: DoctorContext, db: Db): Promise<StatusLine> {
  const name = 'signing secret';
  const last = await lastVerifiedWebhook(db, service.organisationId);
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
  const reached = await reach(url);
  const certificate = url.protocol === 'https:' ? [await certificateLine(context, url)] : [];
  return [reached, ...certificate];
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
  const endsAt = await certificateEndsAt(url, ENDPOINT_MS_MAX);
  if (endsAt === undefined) {
    return failed(name, 'none that can be read', 'Check the certificate of the proxy.');
  }
  const leftMs = endsAt.getTime() - clock.nowMs();
  const detail = `valid until ${endsAt.toISOString()}`;
  return leftMs < CERTIFICATE_WARNING_MS
    ? warning(name, detail, 'Renew it: once it has ended, no webhook arrives any more.')
    : ok(name, detail);
}

/** The moment, or undefined when no certificate could be read in time. Never throws. */
async function certificateEndsAt(url: URL, timeoutMs: number): Promise<Date | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 443 : Number(url.port);
  return await new Promise((done) => {
    // Whether it is trusted was seen by the request before; here only its end is read.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false });
    const end = (date: Date | undefined): void => {
      socket.destroy();
      done(date);
    };
    socket.setTimeout(timeoutMs, () => end(undefined));
    socket.once('error', () => end(undefined));
    socket.once('secureConnect', () => {
      const date = new Date(socket.getPeerCertificate().valid_to);
      end(Number.isNaN(date.getTime()) ? undefined : date);
    });
  });
}
