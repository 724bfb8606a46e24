/**
 * The merchants of an organisation that have something of their own, as the stages of its work are given them: the
 * processors as one, the policy that decides about an alert, how its charge is looked for.
 */

import type { CaseRow } from '../../alerts/cases/case.store.ts';
import type { ClaimSource } from '../../alerts/cases/claim.ts';
import type { NamedMerchants, NamingAlert } from '../../alerts/cases/merchant.ts';
import { merchantOf, namedBy } from '../../alerts/cases/merchant.ts';
import { createRoutedProcessor, isRouted } from '../../alerts/cases/routed-processor.ts';
import { underLayer } from '../../alerts/decide/layered-policy.ts';
import type { Policy } from '../../alerts/decide/policy.ts';
import type { SamePartRule } from '../../alerts/ledger/same-dispute.ts';
import type { MatchSettings } from '../../alerts/match/match-settings.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { OrganisationParts } from './parts.ts';
import type { MerchantWork, WorkOptions } from './work-options.ts';

/** What the stages ask. */
export interface MerchantView {
  /** The organisation's, or several as one. */
  readonly processor: Processor;
  /** The policy that decides about an alert. */
  policyOf(named: NamedMerchants): Policy;
  /** How the charge of an alert is looked for; undefined: as the organisation says. */
  matchingOf(alert: NamingAlert): MatchSettings | undefined;
  /** What all policies together name and say. */
  sources(): readonly ClaimSource[];
  samePart(): SamePartRule;
  /** Why nothing may be done about a case; undefined: no such thing can be. */
  readonly obstacleTo: ((claim: CaseRow) => Promise<string | undefined>) | undefined;
}

/** Creates the view of an organisation's merchants; of one without any it is the organisation itself. */
export function viewMerchants(
  { database, organisationId }: Pick<OrganisationParts, 'database' | 'organisationId'>,
  options: WorkOptions,
): MerchantView {
  const { merchants = [], policy } = options;
  const byId = new Map(merchants.map((each) => [each.id, each]));
  const find = (named: NamedMerchants): MerchantWork | undefined => {
    const found = merchantOf(named, (id) => byId.has(id));
    return found.kind === 'listed' ? byId.get(found.id) : undefined;
  };
  const own = merchants.flatMap(({ id, processor }) =>
    processor === undefined ? [] : [[id, processor] as const],
  );
  const processor =
    own.length === 0
      ? options.processor
      : createRoutedProcessor({
          db: database.db,
          organisationId,
          own: options.processor,
          byMerchant: new Map(own),
          isListed: (id) => byId.has(id),
        });
  const policies = (): readonly Policy[] => [
    policy.current(),
    ...merchants.flatMap((each) => (each.policy === undefined ? [] : [each.policy.current()])),
  ];
  const ofOrganisation = options.guard?.guards.fallbackBeforeMs;
  return {
    processor,
    policyOf(named): Policy {
      const merchant = find(named);
      const bounds = [ofOrganisation, merchant?.fallbackBeforeMs].filter((ms) => ms !== undefined);
      const isOwn = merchant?.policy !== undefined;
      return underLayer((merchant?.policy ?? policy).current(), {
        layer: isOwn ? `merchant ${merchant.id}` : options.policyLayer,
        fallbackBeforeMs: bounds.length === 0 ? undefined : Math.max(...bounds),
      });
    },
    matchingOf: (alert) => find(namedBy(alert))?.matching,
    sources: () => [...new Set(policies().flatMap((each) => each.sources ?? []))],
    samePart(): SamePartRule {
      const said = new Set(policies().map((each) => each.samePart ?? 'REVIEW'));
      const [first = 'REVIEW'] = said;
      // They differ, and a charge may concern either: a person looks.
      return said.size === 1 ? first : 'REVIEW';
    },
    obstacleTo: isRouted(processor)
      ? (claim): Promise<string | undefined> => strangeCharge(processor, claim)
      : undefined,
  };
}

const STRANGE =
  'its charge belongs to another merchant, whose processor is another one. Choose the charge anew, or answer in the dashboard';

/** Nothing of a case goes to the processor of another merchant than its own. */
async function strangeCharge(
  processor: ReturnType<typeof createRoutedProcessor>,
  { alert_id: alertId, charge_reference: reference }: CaseRow,
): Promise<string | undefined> {
  if (reference === null) return undefined;
  const [charge, alert] = await Promise.all([
    processor.ofCharge(reference),
    processor.ofAlert(alertId),
  ]);
  if (charge === null) return undefined;
  return charge !== undefined && charge.processor === alert?.processor ? undefined : STRANGE;
}
