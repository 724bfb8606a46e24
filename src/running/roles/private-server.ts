/**
 * The private port of a role that runs on its own: health with its details, and metrics. It asks for no
 * token, so it listens on this machine unless the settings say otherwise, and never where webhooks arrive.
 */

import type { Server } from 'node:http';
import type { Answer } from '../../alerts/receive/answers.ts';
import {
  answer,
  INTERNAL_ERROR,
  NOT_FOUND,
  READY,
  send,
  textAnswer,
} from '../../alerts/receive/answers.ts';
import type { ReceiveCounters, ReceiveCounts } from '../../alerts/receive/counters.ts';
import { createHttpServer } from '../../alerts/receive/http-server.ts';
import { forOrganisations } from '../../base/db/for-organisation.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { serialiseError } from '../../base/kernel/log.ts';
import { ALL_METRICS, COUNTED_BY_LABEL } from '../../capabilities/index.ts';
import {
  installationReceiveSamples,
  readInstallationMetrics,
} from '../../health/installation-metrics.ts';
import type { Sample } from '../../health/metrics.ts';
import { healthSamples, readMetrics, receiveSamples, renderMetrics } from '../../health/metrics.ts';
import { readBacklog } from '../../orders/feed-status.store.ts';
import type { InstallationWatcher } from '../installation/installation-watcher.ts';
import type { OrganisationParts, Shared } from './parts.ts';
import { readCapabilitySamples } from './readiness.ts';
import { UNKNOWN_ORGANISATION } from './serve-installation.ts';
import type { AskHealth, InstallationHealth } from './shared-health.ts';

export interface PrivatePages {
  readonly health: AskHealth;
  /** What only this role can tell; read while the database answers, or wholly from memory. */
  readonly samples: (
    health: InstallationHealth,
  ) => readonly Sample<string>[] | Promise<readonly Sample<string>[]>;
}

/** The receiver's own counters: they are in no table. */
export function receiverPages(health: AskHealth, counts: () => ReceiveCounts): PrivatePages {
  return { health, samples: () => receiveSamples(counts()) };
}

/** Health and the process alone: the console's own `/metrics` asks for its token. */
export function processPages(health: AskHealth): PrivatePages {
  return { health, samples: () => [] };
}

/** What the database holds about the whole installation; nothing of it while the database is away. */
export function workerPages(
  { database, organisationId, clock }: OrganisationParts,
  health: AskHealth,
): PrivatePages {
  const { db } = database;
  return {
    health,
    samples: async ({ checks }): Promise<Sample<string>[]> => {
      if (checks?.['database'] !== 'ok' || checks['migrations'] !== 'ok') return [];
      const scope = { organisationId, now: nowDate(clock) };
      const feedBacklog = async (): Promise<Record<string, number>> => ({
        ...(await readBacklog(db, organisationId)),
      });
      return [
        ...(await readMetrics({ ...scope, db, feedBacklog })),
        ...(await readCapabilitySamples(db, scope)),
      ];
    },
  };
}

interface Several {
  readonly shared: Pick<Shared, 'database' | 'clock'>;
  readonly keeper: Pick<InstallationWatcher, 'organisations'>;
  readonly health: AskHealth;
}

/** What the database holds about each of several organisations. */
export function installationWorkerPages({ shared, keeper, health }: Several): PrivatePages {
  return {
    health,
    samples: ({ checks }): Sample<string>[] | Promise<Sample<string>[]> => {
      if (checks?.['database'] !== 'ok' || checks['migrations'] !== 'ok') return [];
      const organisations = keeper.organisations();
      const ids = organisations.map(({ id }) => id);
      const { db } = forOrganisations(shared.database, ids, 'overview');
      return readInstallationMetrics(db, organisations, {
        now: nowDate(shared.clock),
        besides: COUNTED_BY_LABEL,
      });
    },
  };
}

/** The counters of each of several organisations, and of those who named none. */
export function installationReceiverPages(
  { keeper, health }: Omit<Several, 'shared'>,
  counters: () => ReadonlyMap<string, ReceiveCounters>,
): PrivatePages {
  return {
    health,
    samples: (): Sample<string>[] => {
      const counted = counters();
      const names = new Map(keeper.organisations().map(({ id, path }) => [id, path]));
      const named = [UNKNOWN_ORGANISATION, ...names.keys()].flatMap((id) => {
        const own = counted.get(id);
        return own === undefined ? [] : [[names.get(id) ?? id, own.snapshot()] as const];
      });
      return installationReceiveSamples(named);
    },
  };
}

export function createPrivateServer(
  { log }: Pick<OrganisationParts, 'log'>,
  pages: PrivatePages,
): Server {
  const { health, samples } = pages;
  const paths: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': () => Promise.resolve(READY),
    '/readyz': async () => {
      const { ok, checks } = await health();
      return answer(ok ? 200 : 503, { ok, checks });
    },
    '/metrics': async () => {
      const found = await health();
      const own = await samples(found);
      return textAnswer(renderMetrics([...own, ...processSamples(found)], ALL_METRICS));
    },
  };
  return createHttpServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const page = request.method === 'GET' && Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (page === undefined) {
      send(response, NOT_FOUND);
      return;
    }
    page().then(
      (found) => send(response, found),
      (error: unknown) => {
        log.error({ err: serialiseError(error) }, 'request failed');
        send(response, INTERNAL_ERROR);
      },
    );
  });
}

function processSamples({ ok, parts }: InstallationHealth): Sample[] {
  return [
    ...healthSamples(parts),
    { name: 'forestall_ready', value: ok ? 1 : 0 },
    { name: 'forestall_process_resident_bytes', value: process.memoryUsage.rss() },
  ];
}
