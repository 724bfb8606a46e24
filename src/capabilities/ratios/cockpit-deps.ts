/** What a cockpit is made by, out of the settings: programmes, the region, and the rates of the cost model. */

import { costs } from '../../alerts/costs/setting.ts';
import type { Db } from '../../base/db/database.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { createSchemeOf } from './card-scheme.ts';
import type { CockpitDeps } from './cockpit.ts';
import { monitoring } from './settings.ts';

export function cockpitDeps(deps: {
  readonly db: Db;
  readonly organisationId: string;
  readonly settings: OpenSettings;
  readonly brands?: BrandTokenMap | undefined;
}): CockpitDeps {
  const { db, organisationId, settings, brands } = deps;
  const { currency, rates } = settings.of(costs);
  return {
    db,
    organisationId,
    ...settings.of(monitoring),
    rates: { currency, rates },
    schemeOf: createSchemeOf(brands),
  };
}
