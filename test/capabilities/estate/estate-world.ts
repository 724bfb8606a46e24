/** A sandbox with a client of the partner, and what the service holds, read from the sandbox itself. */
import { systemClock } from '../../../src/base/kernel/clock.ts';
import type { Journal, JournalEntry } from '../../../src/capabilities/estate/plan/apply.ts';
import { applyPlan } from '../../../src/capabilities/estate/plan/apply.ts';
import type { Estate } from '../../../src/capabilities/estate/plan/estate.ts';
import type { EstatePlan, PlanOptions } from '../../../src/capabilities/estate/plan/plan.ts';
import { planEstate } from '../../../src/capabilities/estate/plan/plan.ts';
import type {
  EstateClient,
  RemoteEstate,
} from '../../../src/capabilities/estate/plan/remote-estate.ts';
import { readRemoteEstate } from '../../../src/capabilities/estate/plan/remote-estate.ts';
import type { SavedPlan } from '../../../src/capabilities/estate/plan/saved-plan.ts';
import { readPlan, writePlan } from '../../../src/capabilities/estate/plan/saved-plan.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { RequestBudget } from '../../../src/service/client/index.ts';
import { createServiceClient, unlimitedBudget } from '../../../src/service/client/index.ts';

/** Called after each call that changed something. */
export type OnWrite = (method: string, path: string) => Promise<void>;

export interface EstateWorld {
  readonly sandbox: Sandbox;
  readonly client: EstateClient;
  organisationId: string;
  /** Set to be called after each write. */
  onWrite: OnWrite;
  /** Does harm to the write of this number, counted from 0. */
  harm(call: number, harm: string): void;
  /** No harm and no `onWrite` from here on. */
  calm(): void;
  read(): Promise<RemoteEstate>;
  plan(estate: Estate, options?: PlanOptions): Promise<EstatePlan>;
  /** Plans, saves, reads the saved plan again and applies it. */
  apply(estate: Estate, options?: PlanOptions): Promise<void>;
  /** A client that asks this budget before each call. */
  clientWith(budget: RequestBudget): EstateClient;
  /** From here on, an empty organisation. */
  useNewOrganisation(): void;
  close(): Promise<void>;
}

/** A journal in memory. */
export function memoryJournal(): Journal & { readonly entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  return {
    entries,
    async write(entry): Promise<void> {
      entries.push(entry);
    },
  };
}

/** What a plan file would give back. */
export function saved(plan: EstatePlan, organisations: readonly string[]): SavedPlan {
  const createdAt = '2026-11-22T00:00:00.000Z';
  return readPlan(writePlan({ plan, organisations, variables: new Map(), createdAt }), {});
}

export async function createEstateWorld(): Promise<EstateWorld> {
  const sandbox = await createSandbox({ requestsPerMinute: 1_000_000 });
  const harms = new Map<number, string>();
  let writes = 0;
  const world: EstateWorld = {
    sandbox,
    organisationId: sandbox.accounts.organisationId,
    onWrite: async () => undefined,
    harm(call, harm): void {
      writes = 0;
      harms.set(call, harm);
    },
    calm(): void {
      harms.clear();
      world.onWrite = async () => undefined;
    },
    client: createServiceClient({
      baseUrl: sandbox.url,
      partnerApiKey: sandbox.accounts.partnerKey,
      budget: unlimitedBudget,
      wait: async () => undefined,
      async fetch(input, init): Promise<Response> {
        const { method, url } = input instanceof Request ? input : new Request(input, init);
        if (method === 'GET') return await fetch(input, init);
        const harm = harms.get(writes++);
        if (harm === 'killed before') throw new Error('killed');
        if (harm === '429' || harm === '500')
          return Response.json({ errors: [] }, { status: Number(harm) });
        const answer = await fetch(input, init);
        await world.onWrite(method, new URL(url).pathname);
        if (harm === 'killed after' || harm === 'answer lost') throw new TypeError('fetch failed');
        return harm === '500 after' ? Response.json({ errors: [] }, { status: 500 }) : answer;
      },
    }),
    read: () => readRemoteEstate(world.client, [world.organisationId]),
    plan: async (estate, options) => planEstate(estate, await world.read(), options),
    async apply(estate, options): Promise<void> {
      const plan = await world.plan(estate, options);
      if (plan.problems.length > 0) throw new Error(JSON.stringify(plan.problems));
      await applyPlan(saved(plan, [world.organisationId]), {
        client: world.client,
        journal: memoryJournal(),
        clock: systemClock,
        wait: async () => undefined,
      });
    },
    clientWith: (budget) =>
      createServiceClient({
        baseUrl: sandbox.url,
        partnerApiKey: sandbox.accounts.partnerKey,
        budget,
      }),
    useNewOrganisation(): void {
      const [organisation] = sandbox.seed({
        organisations: [{ name: '[TEST] Estate' }],
      }).organisations;
      if (organisation === undefined) throw new Error('The seed creates one.');
      world.organisationId = organisation.id;
    },
    close: () => sandbox.close(),
  };
  return world;
}
