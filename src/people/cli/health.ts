/**
 * `forestall health`: asks the local webhook listener, or the private port of a role, whether it is alive.
 * The image's HEALTHCHECK where the port speaks TLS.
 */
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Command } from 'commander';
import { METRICS_PORT } from '../../base/http/listen.ts';
import { readCommandSettings } from '../../running/config.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { runCommand } from './lifecycle.ts';

const TIMEOUT_MS = 2_500;

const LOOPBACK = '127.0.0.1';
/** Hosts that mean every address of the machine, this one among them. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Where somebody is asked. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export function registerHealth(program: Command): void {
  program
    .command('health')
    .option('--private', 'asks the private port instead, as a worker has no other')
    .action(async (options: { private?: boolean }) => {
      await runCommand(async () => {
        const { port, tls, metrics } = readCommandSettings();
        const place: Place =
          options.private === true
            ? {
                host: EVERYWHERE.has(metrics.host) ? LOOPBACK : metrics.host,
                port: metrics.port ?? METRICS_PORT,
                tls: false,
              }
            : { host: LOOPBACK, port, tls: tls !== undefined };
        const alive = await ask(place);
        const { host, port: asked } = place;
        console.log(alive ? 'alive' : `not alive: no 200 from /healthz at ${host}, port ${asked}`);
        if (!alive) process.exitCode = EXIT.wrong;
      });
    });
}

async function ask({ host, port, tls }: Place): Promise<boolean> {
  const options = { host, port, path: '/healthz', timeout: TIMEOUT_MS };
  return await new Promise<boolean>((done) => {
    // The certificate names the public host, not this one; nothing secret is sent.
    const call = tls ? requestTls({ ...options, rejectUnauthorized: false }) : request(options);
    call.on('response', (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => done(false));
    call.on('close', () => done(false));
    call.end();
  });
}
