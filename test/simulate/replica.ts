/**
 * Our own processes inside the simulation: receivers and workers, put together as `serve` and `work`
 * put them together, on a simulated database and the moved clock.
 */
import type { RequestListener } from 'node:http';
import { forOrganisation } from '../../src/base/db/for-organisation.ts';
import type { DatabaseSource } from '../../src/base/db/source.ts';
import type { LoopSpec } from '../../src/base/jobs/loop.ts';
import type { Clock } from '../../src/base/kernel/clock.ts';
import type { Log } from '../../src/base/kernel/log.ts';
import { createKeyAdmission } from '../../src/base/seal/key-admission.ts';
import type { PolicySource } from '../../src/policy/policy-watcher.ts';
import type { OrganisationParts, Shared } from '../../src/running/roles/parts.ts';
import type { ServeRole } from '../../src/running/roles/serve.ts';
import { createServeRole } from '../../src/running/roles/serve.ts';
import { createInstallationServeRole } from '../../src/running/roles/serve-installation.ts';
import { createWork } from '../../src/running/roles/work.ts';
import { createStoreBudget } from '../../src/service/budget/budget.store.ts';
import { createServiceClient } from '../../src/service/client/index.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { createBrandTokens, IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { Actor } from './actor.ts';
import type { Member } from './member.ts';
import { PROCESSOR_SECRET } from './member.ts';

/** What every process is given. */
export interface ReplicaOptions {
  /** The organisations it works for. */
  readonly members: readonly Member[];
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: PolicySource;
  readonly pollSeconds: number;
  /** Where a process that is started now finds the member's payment provider. */
  readonly processorUrlOf: (member: Member) => string;
}

/** A loop, and whose it is. */
export type OwnLoop = LoopSpec & { readonly organisationId: string };

/** A worker and its loops. */
export interface Worker {
  readonly actor: Actor;
  /** Those of the first organisation have the names that they have in a process; those of others end in its place. */
  readonly loops: readonly OwnLoop[];
  /** Loops with a round under way. */
  readonly busy: Set<string>;
  /** When a loop may be started again after a failed round, in milliseconds. */
  readonly restsUntilMs: Map<string, number>;
}

/** What a process shares among its organisations. */
function sharedOf({ clock, log }: ReplicaOptions, actor: Actor, source: DatabaseSource): Shared {
  const database = source.open({ log });
  return {
    source,
    database,
    clock,
    log,
    workerId: actor.name,
    wakeBus: {
      on: () => () => undefined,
      serve: () => () => undefined,
      isServed: () => false,
      emit: () => undefined,
      stop: () => Promise.resolve(),
    },
    residence: {
      away: () => undefined,
      follow: () => () => undefined,
      refresh: () => Promise.resolve(),
      stop: () => undefined,
    },
    options: { clock },
    close: () => database.close(),
  };
}

function partsOf(shared: Shared, { sandbox, organisationId }: Member): OrganisationParts {
  const { clock, log, workerId, wakeBus, residence, source } = shared;
  const { accounts } = sandbox;
  const database = forOrganisation(shared.database, organisationId);
  const brandTokens = createBrandTokens(IDENTITY_BRAND_TOKENS);
  const budget = createStoreBudget({ db: database.db, organisationId, clock });
  const endpoints = {
    database: source,
    organisationId,
    integrationId: accounts.integrationId,
    serviceUrl: sandbox.url,
    apiKey: accounts.organisationKey,
    partnerApiKey: accounts.partnerKey,
    brandTokens: IDENTITY_BRAND_TOKENS,
  };
  const client = createServiceClient({
    baseUrl: sandbox.url,
    apiKey: endpoints.apiKey,
    partnerApiKey: endpoints.partnerApiKey,
    brandTokens,
    clock,
    budget,
  });
  return {
    endpoints,
    organisationId,
    database,
    laterDatabase: database,
    clock,
    log,
    workerId,
    client,
    clockSkewMs: () => undefined,
    brandTokens,
    budget,
    wakeBus,
    residence,
    keyAdmission: createKeyAdmission({ db: database.db, organisationId, log }),
    close: () => database.close(),
  };
}

/** What a loop of an organisation is called among those of its process. */
export function loopOf({ index }: Pick<Member, 'index'>, name: string): string {
  return index === 0 ? name : `${name}@${index}`;
}

/** Makes a worker. */
export function createWorker(
  options: ReplicaOptions,
  actor: Actor,
  source: DatabaseSource,
): Worker {
  const { members, clock, policy, pollSeconds, processorUrlOf } = options;
  const shared = sharedOf(options, actor, source);
  const loops = members.flatMap((member) => {
    const work = createWork(partsOf(shared, member), {
      processor: createHttpProcessor({
        baseUrl: processorUrlOf(member),
        secret: PROCESSOR_SECRET,
        clock,
      }),
      policy,
      mode: 'live',
      reconcileSeconds: pollSeconds,
    });
    const { organisationId } = member;
    return work.loops.map((spec) => ({
      ...spec,
      name: loopOf(member, spec.name),
      organisationId,
    }));
  });
  return { actor, loops, busy: new Set(), restsUntilMs: new Map() };
}

/** Makes a receiver of webhooks. */
export function createReceiver(
  options: ReplicaOptions,
  actor: Actor,
  source: DatabaseSource,
): { readonly actor: Actor; readonly listener: RequestListener } {
  const { server } = serverOf(options, sharedOf(options, actor, source));
  return { actor, listener: (request, response) => void server.emit('request', request, response) };
}

function serverOf({ members }: ReplicaOptions, shared: Shared): Pick<ServeRole, 'server'> {
  const [only] = members;
  if (only !== undefined && members.length === 1) {
    const webhookSecrets = [only.sandbox.accounts.webhookSecret];
    return createServeRole(partsOf(shared, only), {
      webhookSecrets,
      tls: undefined,
      givesSigns: false,
    });
  }
  const health = (): Promise<never> => Promise.reject(new Error('nobody asks'));
  const serve = createInstallationServeRole(shared, {
    tls: undefined,
    health,
    isListed: () => true,
  });
  for (const member of members) {
    serve.add(partsOf(shared, member), {
      path: member.path === '' ? member.organisationId : member.path,
      place: member.index,
      webhookSecrets: [member.sandbox.accounts.webhookSecret],
      events: undefined,
    });
  }
  return serve;
}
