/**
 * The certificate and key that files hold. They are read again when they change, so that a certificate that is
 * renewed every few weeks needs no restart: connections that are open keep theirs, new ones get the new one.
 */
import type { Server } from 'node:http';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import { ConfigError, codeOf, messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { readSettingFile } from '../kernel/setting-file.ts';

/** Where they lie. */
export interface TlsPaths {
  readonly certPath: string;
  readonly keyPath: string;
}

/** PEM texts. */
export interface TlsTexts {
  readonly cert: string;
  readonly key: string;
}

/** How often the files are looked at, in milliseconds. Certificates change every few weeks. */
const LOOK_EVERY_MS = 60_000;

/** Reads a certificate and its key. @throws {ConfigError} when they cannot be used */
export function readTls(paths: TlsPaths): TlsTexts {
  const cert = readSettingFile(paths.certPath, 'FORESTALL_TLS_CERT');
  const key = readSettingFile(paths.keyPath, 'FORESTALL_TLS_KEY');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new ConfigError(
      `FORESTALL_TLS_CERT and FORESTALL_TLS_KEY name no certificate with its key (${codeOf(cause) ?? 'unreadable'}).`,
      { cause },
    );
  }
  return { cert, key };
}

export interface FollowTlsOptions {
  /** What the server was made with; undefined: it speaks plain HTTP, and nothing is followed. */
  readonly paths: TlsPaths | undefined;
  readonly log: Log;
  /** @default 60 s */
  readonly lookEveryMs?: number;
}

/**
 * Gives the server what the files hold, whenever that changes and at SIGHUP, until it closes. Files that cannot be
 * used, or only one of which has been written yet, leave it with what it has.
 *
 * Returns what looks at once.
 */
export function followTls(
  server: Server,
  { paths, log, lookEveryMs = LOOK_EVERY_MS }: FollowTlsOptions,
): () => void {
  if (paths === undefined || !(server instanceof TlsServer)) return () => undefined;
  let inUse = JSON.stringify(readTls(paths));
  let lastWarning = '';
  const look = (): void => {
    try {
      const texts = readTls(paths);
      const read = JSON.stringify(texts);
      if (read === inUse) return;
      server.setSecureContext(texts);
      [inUse, lastWarning] = [read, ''];
      log.info('the certificate was read again');
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== lastWarning) {
        log.error({ problem }, 'the new certificate cannot be used; the old one stays');
      }
      lastWarning = problem;
    }
  };
  const timer = setInterval(look, lookEveryMs).unref();
  process.on('SIGHUP', look);
  server.once('close', () => {
    clearInterval(timer);
    process.off('SIGHUP', look);
  });
  return look;
}
