/**
 * Which merchant of an organisation an alert is about, as far as the installation knows merchants of their own
 * (a processor, a policy, guards). Pure.
 */
import { z } from 'zod';

/** The merchants that an alert names. */
export interface NamedMerchants {
  readonly merchantId: string | null;
  /** Of its enrolment: it may serve several. */
  readonly merchantIds: readonly string[];
}

/** `none`: no merchant of its own. `unclear`: it names several, and they are not treated alike. */
export type FoundMerchant =
  | { readonly kind: 'listed'; readonly id: string }
  | { readonly kind: 'none' | 'unclear' };

const snapshotSchema = z.looseObject({ merchant_ids: z.array(z.string()) });

/** An alert's row, as far as it names merchants. */
export interface NamingAlert {
  readonly merchant_id: string | null;
  readonly snapshot: unknown;
}

/** The merchants that a stored alert names. */
export function namedBy(alert: NamingAlert): NamedMerchants {
  const { data } = snapshotSchema.safeParse(alert.snapshot);
  return { merchantId: alert.merchant_id, merchantIds: data?.merchant_ids ?? [] };
}

/** Every merchant that may be meant: an alert's own word may be the first of its enrolment's alone. */
export function allNamed({ merchantId, merchantIds }: NamedMerchants): readonly string[] {
  return [...new Set([...(merchantId === null ? [] : [merchantId]), ...merchantIds])];
}

/** The merchant among those that are listed. */
export function merchantOf(
  named: NamedMerchants,
  isListed: (id: string) => boolean,
): FoundMerchant {
  const ids = allNamed(named);
  const [id] = ids;
  if (id === undefined || !ids.some(isListed)) return { kind: 'none' };
  return ids.length === 1 ? { kind: 'listed', id } : { kind: 'unclear' };
}
