/**
 * The signs of life of a listener for webhooks, and the end of the certificate that it serves. Its row stays when it
 * stops, until another one is there: webhooks that are not taken are a cause to be told, no matter who stopped it.
 */
import { X509Certificate } from 'node:crypto';
import type { Db } from '../../base/db/database.ts';
import type { TlsPaths } from '../../base/http/tls-files.ts';
import { readTls } from '../../base/http/tls-files.ts';
import { beat, HEARTBEAT_MS, SILENT_MS } from '../../base/jobs/heartbeat.store.ts';
import { deleteNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { CERTIFICATE_END } from '../../base/jobs/value-names.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';

export interface ListenerSignsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Names the process. */
  readonly workerId: string;
  /** Or `ALL_ORGANISATIONS`. */
  readonly organisationId: string;
  readonly tls: TlsPaths | undefined;
  /** Whether the certificate's end is written for health. @default true */
  readonly notesCertificate?: boolean;
}

export interface ListenerSigns {
  /** From the moment at which it listens. */
  start(): void;
  /** Waits for a sign that is being written. */
  stop(): Promise<void>;
}

export function createListenerSigns(options: ListenerSignsOptions): ListenerSigns {
  const { db, clock, log, organisationId, tls, notesCertificate = true } = options;
  const workerId = `${options.workerId}:serve`;
  let noted: string | null | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const noteCertificate = async (now: Date): Promise<void> => {
    const endsAt = tls === undefined ? null : certificateEnd(tls);
    if (endsAt === noted) return;
    if (endsAt !== null && Date.parse(endsAt) <= now.getTime()) {
      log.error({ endsAt }, 'our certificate has ended: renew FORESTALL_TLS_CERT');
    }
    if (notesCertificate) {
      const fact = { organisationId, name: CERTIFICATE_END, value: endsAt, at: now };
      if (endsAt === null) await deleteNamedValue(db, organisationId, CERTIFICATE_END);
      else await writeNamedValue(db, fact);
    }
    noted = endsAt;
  };
  const sign = async (): Promise<void> => {
    try {
      const now = nowDate(clock);
      await beat(db, { workerId, organisationId, role: 'serve', now, forgetMs: SILENT_MS });
      await noteCertificate(now);
    } catch (error) {
      log.warn({ err: error }, 'the sign of life of the listener could not be written');
    }
  };
  const next = (): void => {
    writing = writing.then(sign);
  };
  return {
    start(): void {
      next();
      timer = setInterval(next, HEARTBEAT_MS).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await writing;
    },
  };
}

/** ISO 8601. What cannot be read is told by who follows the files; the listener keeps what it has. */
function certificateEnd(paths: TlsPaths): string | null {
  try {
    return new Date(new X509Certificate(readTls(paths).cert).validTo).toISOString();
  } catch {
    return null;
  }
}
