/**
 * What the service's dashboards hold: partners, groups, organisations, keys, webhook subscriptions
 * and the mails sent to owners.
 */
import type { Ability } from '../../service/wire/abilities.ts';
import type { EventType } from '../../service/wire/event.ts';

export interface Partner {
  readonly id: string;
  name: string;
}

/** An admin group reaches every organisation of its partner, another one those assigned to it. */
export interface PartnerGroup {
  readonly id: string;
  readonly partner_id: string;
  name: string;
  admin: boolean;
  organisation_ids: string[];
}

export interface Organisation {
  readonly id: string;
  /** Begins with `[TEST]` for a test organisation. */
  readonly name: string;
  readonly mode: 'live' | 'test';
  readonly partner_id: string;
  readonly owner_email: string;
}

/** A key of one organisation, or of a partner group. */
export interface ApiKey {
  readonly id: string;
  /** What comes after `Bearer`. */
  readonly token: string;
  readonly level: 'organisation' | 'partner';
  /** The organisation, or the partner group. */
  readonly owner_id: string;
  abilities: Ability[];
  expires_at: string | null;
}

/** Where an organisation's, or a partner group's, events go. */
export interface Subscription {
  readonly id: string;
  /** The organisation, or the partner group. */
  readonly owner_id: string;
  /** `null` until an address is set: nothing is sent then. */
  url: string | null;
  types: EventType[];
  secret: string;
  status: 'ENABLED' | 'DISABLED';
  /** Deliveries that ended `FAILED` since the last one that succeeded. */
  failed_in_a_row: number;
}

export interface OwnerNotice {
  readonly at: string;
  readonly to: string;
  readonly subject: string;
}

export interface SeededAccounts {
  readonly partnerId: string;
  readonly partnerGroupId: string;
  readonly organisationId: string;
  readonly merchantId: string;
  /** The `CUSTOM_ORDERS` integration. */
  readonly integrationId: string;
  /** Enabled, `NETA_ALERT`, descriptor `DEMO STORE` by `STARTS_WITH`. */
  readonly alertEnrolmentId: string;
  /** Enabled, `NETB_RDR`, by BIN and CAID. */
  readonly rdrEnrolmentId: string;
  /** Enabled, `NETB_ORDER_INSIGHT`: digital receipts. */
  readonly insightEnrolmentId: string;
  readonly subscriptionId: string;
  readonly webhookSecret: string;
  /** Bearer token of the organisation's key, with every ability but the v1 enrolments. */
  readonly organisationKey: string;
  /** Bearer token of the admin partner group's key, with every ability. */
  readonly partnerKey: string;
}
