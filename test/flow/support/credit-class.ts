/** Why a price can be claimed back: apart from the books, so that the tests of the flow do without credits. */
import { openCreditWindows } from '../../../src/capabilities/credits/credit-windows.ts';
import { createCredits } from '../../../src/capabilities/credits/credits.job.ts';
import type { World } from '../../support/world.ts';

/** Why the alert's price is claimed back, or undefined. */
export async function creditClassOf(world: World, alertId: string): Promise<string | undefined> {
  const { database, clock, organisationId } = world.parts;
  const windows = openCreditWindows(undefined);
  // The worker does it every five minutes.
  await createCredits({ db: database.db, clock, organisationId, windows }).runOnce();
  const claims = await world.database.db
    .selectFrom('credit_claim')
    .select('class')
    .where('alert_id', '=', alertId)
    .execute();
  return claims[0]?.class;
}
