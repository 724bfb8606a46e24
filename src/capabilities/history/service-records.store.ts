/**
 * Reads what the service sent about a charge: which of its objects concern the charge, how surely, and
 * every snapshot of them that counted.
 */
import type { EntityKind } from '../../alerts/apply/entity.table.ts';
import type { Db } from '../../base/db/database.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { Link, ServiceRecord } from './history.ts';
import { linkTo } from './history.ts';
import type { ServiceChange } from './service-entries.ts';

/** Rows read of each kind: a charge that has more is no ordinary one. */
export const ROWS_MAX = 500;

/** The charge that is asked about. */
export interface ChargeScope {
  readonly db: Db;
  readonly organisationId: string;
  readonly reference: string;
}

/** An object of the service, and how surely it concerns the charge. */
export interface EntityLink {
  readonly entity: EntityKind;
  readonly id: string;
  readonly link: Link | null;
}

/** Everything of the service's that concerns the charge, and how surely. */
export async function readLinks(
  scope: ChargeScope,
  known: {
    readonly charge: ChargeRecord | undefined;
    readonly alerts: readonly { readonly id: string; readonly isMatched: boolean }[];
  },
): Promise<EntityLink[]> {
  const alerts = known.alerts.map(
    ({ id, isMatched }): EntityLink => ({
      entity: 'alert',
      id,
      link: isMatched ? null : 'reference',
    }),
  );
  const { charge } = known;
  if (charge === undefined) return alerts;
  const records = [
    ...(await readLookups(scope, charge)),
    ...(await readRepresentments(scope, charge)),
    ...(await readNotices(scope, charge)),
  ];
  return [
    ...alerts,
    ...records.flatMap(({ entity, id, ...about }): EntityLink[] => {
      const link = linkTo(charge, about);
      return link === undefined ? [] : [{ entity, id, link }];
    }),
  ];
}

type ServiceRow = ServiceRecord & { readonly entity: EntityKind; readonly id: string };

async function readLookups(scope: ChargeScope, charge: ChargeRecord): Promise<ServiceRow[]> {
  const { acquirerReferenceNumber: arn } = charge;
  const rows = await scope.db
    .selectFrom('lookup')
    .select(['id', 'integration_transaction_id as reference', 'acquirer_reference_number as arn'])
    .select(['amount_minor as amountMinor', 'currency', 'transaction_date as date', 'snapshot'])
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) =>
      eb.or([
        eb('integration_transaction_id', '=', scope.reference),
        ...(arn === null ? [] : [eb('acquirer_reference_number', '=', arn)]),
      ]),
    )
    .limit(ROWS_MAX)
    .execute();
  return rows.map(({ snapshot, date, ...row }) => ({
    ...row,
    entity: 'lookup',
    cardBin: wordOf(snapshot, 'transaction_card_bin'),
    cardLast4: wordOf(snapshot, 'transaction_card_last4'),
    date: date?.toISOString() ?? null,
  }));
}

async function readRepresentments(scope: ChargeScope, charge: ChargeRecord): Promise<ServiceRow[]> {
  const { acquirerReferenceNumber: arn } = charge;
  const rows = await scope.db
    .selectFrom('representment')
    .select(['id', 'transaction_reference_id as reference', 'acquirer_reference_number as arn'])
    .select(['amount_minor as amountMinor', 'currency', 'snapshot'])
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) =>
      eb.or([
        eb('transaction_reference_id', '=', scope.reference),
        ...(arn === null ? [] : [eb('acquirer_reference_number', '=', arn)]),
      ]),
    )
    .limit(ROWS_MAX)
    .execute();
  return rows.map(({ snapshot, ...row }) => ({
    ...row,
    entity: 'representment',
    cardBin: null,
    cardLast4: null,
    date: wordOf(snapshot, 'transaction_authorisation_date'),
  }));
}

async function readNotices(scope: ChargeScope, charge: ChargeRecord): Promise<ServiceRow[]> {
  const { acquirerReferenceNumber: arn, cardLast4 } = charge;
  if (arn === null && cardLast4 === null) return [];
  const rows = await scope.db
    .selectFrom('scheme_notice')
    .select(['id', 'acquirer_reference_number as arn', 'card_bin as cardBin'])
    .select(['card_last4 as cardLast4', 'amount_minor as amountMinor', 'currency'])
    .select('purchase_date as date')
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) =>
      eb.or([
        ...(arn === null ? [] : [eb('acquirer_reference_number', '=', arn)]),
        ...(cardLast4 === null
          ? []
          : [
              eb.and([
                eb('card_last4', '=', cardLast4),
                eb('amount_minor', '=', charge.amountMinor),
                eb('currency', '=', charge.currency),
              ]),
            ]),
      ]),
    )
    .limit(ROWS_MAX)
    .execute();
  return rows.map(({ date, ...row }) => ({
    ...row,
    entity: 'scheme_notice',
    reference: null,
    date: date?.toISOString() ?? null,
  }));
}

function wordOf(snapshot: Readonly<Record<string, unknown>>, field: string): string | null {
  const value = snapshot[field];
  return typeof value === 'string' ? value : null;
}

/** Every snapshot of these objects that counted, oldest first. */
export async function readChanges(
  { db, organisationId }: ChargeScope,
  links: readonly EntityLink[],
): Promise<(ServiceChange & { readonly link: Link | null })[]> {
  if (links.length === 0) return [];
  const byKey = new Map(links.map((entry) => [`${entry.entity} ${entry.id}`, entry.link]));
  const rows = await db
    .selectFrom('entity_change')
    .select(['entity', 'entity_id as entityId', 'changed_at as at', 'before', 'after'])
    .where('organisation_id', '=', organisationId)
    .where('accepted', '=', true)
    .where((eb) =>
      eb.or(
        links.map(({ entity, id }) =>
          eb.and([eb('entity', '=', entity), eb('entity_id', '=', id)]),
        ),
      ),
    )
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  return rows.map((row) => ({ ...row, link: byKey.get(`${row.entity} ${row.entityId}`) ?? null }));
}
