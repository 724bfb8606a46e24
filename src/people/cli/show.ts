/** What people see of a demonstration: its merchants at work, and the live view. */
import { acceptOrders } from '../../orders/intake.ts';
import { intakeDeps } from '../../running/roles/intake.ts';
import type { OrganisationParts, Shared } from '../../running/roles/parts.ts';
import { partsOf } from '../../running/roles/parts.ts';
import type { AskHealth } from '../../running/roles/shared-health.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { startDemo } from './demo/demo.ts';
import type { Stop } from './lifecycle.ts';
import { startLiveLines } from './live/live-lines.ts';
import type { DemonstrationBrand } from './start-installation.ts';

interface Show {
  readonly parts: OrganisationParts;
  readonly sandbox: Sandbox;
  readonly health: AskHealth;
}

export function startShow({ parts, sandbox, health }: Show, stops: Stop[]): void {
  const { database, organisationId, wakeBus } = parts;
  const { db } = database;
  const output = process.stdout;
  const stopLines = startLiveLines({ db, organisationId, wakeBus, output, health });
  stops.push(stopLines, startShop(parts, sandbox));
}

/** The merchant of an organisation: sells, and has customers who dispute. */
function startShop(parts: OrganisationParts, sandbox: Sandbox): Stop {
  const { database, clock, organisationId, endpoints } = parts;
  return startDemo({
    sandbox,
    log: parts.log.child({ part: 'demo' }),
    recordOrder: async (order) => {
      const { integrationId } = endpoints;
      const deps = intakeDeps({ db: database.db, clock, organisationId, integrationId });
      await acceptOrders(deps, [order]);
    },
    onStory: (title) => parts.log.info({ story: title }, 'story'),
  });
}

/** The same for the brands whose alerts are not shown live. */
export async function startFurtherShops(
  brands: readonly DemonstrationBrand[],
  shared: Shared,
  stops: Stop[],
): Promise<void> {
  for (const { access, sandbox } of brands.slice(1)) {
    const parts = await partsOf(shared, access.endpoints);
    const stop = startShop(parts, sandbox);
    stops.push(async () => {
      await stop();
      await parts.close();
    });
  }
}
