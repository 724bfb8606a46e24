/** Forestall on the cluster: two organisations, two receivers, two workers, and the deliveries that are sent beside. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import type { Child } from '../faults/rig/child.ts';
import { forestall } from '../faults/rig/rig.ts';
import { eventText } from '../faults/rig/scene.ts';
import { digest, send } from '../faults/rig/sign.ts';
import { rest } from '../faults/rig/until.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { fork } from '../support/child-process.ts';
import type { Books } from './books.ts';
import type { Cluster } from './cluster.ts';
import type { Account, ServiceMessage, ServiceOrder } from './service.ts';

const POLICY = fileURLToPath(new URL('../faults/rig/policy.yaml', import.meta.url));
const SERVICE = new URL('service.ts', import.meta.url);
/** Between two deliveries beside the alerts, in milliseconds. */
const DELIVER_EVERY_MS = 250;
const ANSWER_LIMIT_MS = 60_000;
const ORGANISATIONS = ['one', 'two'] as const;

/** Forestall, at work. */
export interface World {
  /** Alerts a minute from now on, in turn for each organisation. */
  raise(perMinute: number): void;
  books(): Promise<Books>;
  refused(): number;
  /** Processes that have ended by themselves. */
  ended(): readonly string[];
  close(): Promise<void>;
}

/** Migrates, and starts everything. */
export async function openWorld(
  cluster: Cluster,
  { folder, limitMs }: { readonly folder: string; readonly limitMs: number },
): Promise<World> {
  const ports = [await freePort(), await freePort()];
  const processorSecret = `processor-${randomBytes(12).toString('hex')}`;
  const order: ServiceOrder = {
    webhookUrls: ORGANISATIONS.map(
      (name, place) => `http://127.0.0.1:${ports[place]}/webhooks/${name}`,
    ),
    processorSecret,
  };
  const service = fork(fileURLToPath(SERVICE), [JSON.stringify(order)], { timeout: limitMs });
  const accounts = await answerOf<readonly Account[]>(service);
  const secrets = Object.fromEntries(
    accounts.flatMap(({ apiKey, webhookSecret }, place) => [
      [`KEY_${place}`, apiKey],
      [`WEBHOOK_${place}`, webhookSecret],
    ]),
  );
  const file = join(folder, 'installation.yaml');
  writeFileSync(file, installationText(accounts));
  const env = {
    ...secrets,
    PROCESSOR_SECRET: processorSecret,
    DATABASE_URL: cluster.url,
    FORESTALL_DATABASE_DIRECT_URL: cluster.directUrl,
    FORESTALL_INSTALLATION: file,
    FORESTALL_METRICS_PORT: '0',
  };
  const children: Child[] = [];
  const start = (
    name: string,
    args: readonly string[],
    more: Record<string, string> = {},
  ): Child => {
    const child = forestall(folder, { name, args, env: { ...env, ...more } });
    children.push(child);
    return child;
  };
  const migrate = start('migrate', ['migrate']);
  if ((await migrate.ended).code !== 0) throw new Error(`migrate failed:\n${migrate.text()}`);
  const roles = [
    ...ports.map((port, place) => start(`serve-${place}`, ['serve'], { PORT: String(port) })),
    start('work-0', ['work']),
    start('work-1', ['work']),
  ];
  for (const role of roles) {
    await role.printed(
      role.name.startsWith('serve') ? /"msg":"listening"/ : /"msg":"organisations started"/,
    );
  }
  const taken: string[] = [];
  let refused = 0;
  let isOver = false;
  const deliver = async (count: number): Promise<void> => {
    const place = count % ports.length;
    const body = eventText({ id: 'nothing' }, { type: 'bench.test' });
    const t = String(Math.floor(Date.now() / 1_000));
    const signature = `t=${t},v1=${digest(accounts[place]?.webhookSecret ?? '', t, body)}`;
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    const path = `/webhooks/${ORGANISATIONS[place]}`;
    const answer = await send({ port: ports[place] ?? 0, path, body, headers }).catch(
      () => undefined,
    );
    if (answer?.status === 200) taken.push(String(JSON.parse(body).id));
    else refused += 1;
  };
  const delivering = (async (): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      void deliver(count);
      await rest(DELIVER_EVERY_MS);
    }
  })();
  const say = (message: ServiceMessage): void => void service.send(message);
  return {
    raise: (perMinute) => say({ say: 'alerts', perMinute }),
    async books(): Promise<Books> {
      const answer = answerOf<Books>(service);
      say({ say: 'books' });
      const books = await answer;
      return { ...books, taken: [...books.taken, ...taken] };
    },
    refused: () => refused,
    ended: () => roles.filter((role) => !role.isRunning()).map(({ name }) => name),
    async close(): Promise<void> {
      isOver = true;
      await delivering;
      await Promise.all(roles.map((role) => role.end('SIGKILL')));
      service.kill('SIGKILL');
    },
  };
}

function installationText(accounts: readonly Account[]): string {
  const entries = accounts.map(
    ({ url, processorUrl, organisationId }, place) => `  - id: ${organisationId}
    name: Brand ${ORGANISATIONS[place]}
    path: ${ORGANISATIONS[place]}
    mode: live
    service_url: ${url}
    api_key: {env: KEY_${place}}
    webhook_secrets: [{env: WEBHOOK_${place}}]
    processor: ${processorUrl}
    processor_secret: {env: PROCESSOR_SECRET}
    policy: ${POLICY}
`,
  );
  return `version: 1\norganisations:\n${entries.join('')}`;
}

/** The next message of the child. @throws when it ends before */
async function answerOf<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const [message] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => Promise.reject(new Error('The service ended.'))),
      rest(ANSWER_LIMIT_MS).then(() => Promise.reject(new Error('The service did not answer.'))),
    ]);
    return message as Message;
  } finally {
    over.abort();
  }
}
