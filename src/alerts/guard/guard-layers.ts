/**
 * The guards that hold besides the organisation's own: the installation's caps, counted over all its
 * organisations, and a merchant's guards, counted over what concerns that merchant.
 */
import type { Trx } from '../../base/db/database.ts';
import { readNamedMerchants } from '../cases/charge-route.store.ts';
import { allNamed } from '../cases/merchant.ts';
import type { Caps, GuardSettings, StatedGuards } from './guard-settings.ts';

/** Whose refunds a layer counts. */
export type GuardScope =
  | { readonly kind: 'installation'; readonly organisationIds: () => readonly string[] }
  | { readonly kind: 'organisation' }
  | { readonly kind: 'merchant'; readonly id: string };

/** One layer. */
export interface GuardLayer {
  readonly scope: GuardScope;
  readonly caps: Caps;
  readonly approvalAboveMinor?: GuardSettings['approvalAboveMinor'];
  /** Alerts of a merchant in a window above which its automatic refunds stop. */
  readonly flood?: { readonly windowMs: number; readonly above: number } | undefined;
}

/** How people call a layer. */
export function nameOfScope(scope: GuardScope): string {
  return scope.kind === 'merchant' ? `merchant ${scope.id}` : scope.kind;
}

/** What the installation counts over all its organisations: its caps on an hour and a day. */
export function installationLayer(
  { caps: { hour, day } }: StatedGuards,
  organisationIds: () => readonly string[],
): GuardLayer | undefined {
  if (hour === undefined && day === undefined) return undefined;
  return { scope: { kind: 'installation', organisationIds }, caps: { hour, day } };
}

/** What it says besides, which each organisation keeps by itself. */
export function ofEachOrganisation({ caps, ...rest }: StatedGuards): StatedGuards {
  const { charge, customer } = caps;
  return {
    ...rest,
    caps: {
      ...(charge === undefined ? {} : { charge }),
      ...(customer === undefined ? {} : { customer }),
    },
  };
}

/** A merchant's own. Of the breaker only a bound that needs no history is asked. */
export function merchantLayer(id: string, guards: StatedGuards): GuardLayer {
  const { windowMs = undefined, above = undefined } = guards.breaker ?? {};
  return {
    scope: { kind: 'merchant', id },
    caps: guards.caps,
    approvalAboveMinor: guards.approvalAboveMinor,
    ...(windowMs === undefined || above === undefined ? {} : { flood: { windowMs, above } }),
  };
}

/** What holds besides the organisation's own guards. */
export interface OtherLayers {
  /** Counted over all organisations. */
  readonly installation?: GuardLayer | undefined;
  readonly merchants: readonly GuardLayer[];
}

/** The layers that hold for an alert's refund, the outermost first. */
export async function layersFor(
  trx: Trx,
  about: { readonly organisationId: string; readonly alertId: string },
  { own, layers }: { readonly own: GuardLayer; readonly layers: OtherLayers },
): Promise<readonly GuardLayer[]> {
  const { installation, merchants } = layers;
  const outer = installation === undefined ? [] : [installation];
  if (merchants.length === 0) return [...outer, own];
  const named = await readNamedMerchants(trx, about.organisationId, about.alertId);
  // Anyone who may be meant is asked: an alert that names several is bound by each of them.
  const ids = new Set(named === undefined ? [] : allNamed(named));
  const inner = merchants.filter(({ scope }) => scope.kind === 'merchant' && ids.has(scope.id));
  return [...outer, own, ...inner];
}
