/** Everything the three books say about one alert and its charge, to look at after a violation. */
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Wire } from './wire.ts';

/** Lines, oldest first. */
export type Trail = readonly string[];

/** Where the trail is read. */
export interface TrailSources {
  /** A connection that belongs to nobody. */
  readonly raw: Wire;
  readonly sandbox: Sandbox;
  readonly organisationId: string;
}

interface Entry {
  readonly at: string;
  readonly text: string;
}

/** Reads the trail of an alert or a charge; of nothing when the violation is about neither. */
export async function readTrail(
  sources: TrailSources,
  subject: string | undefined,
): Promise<Trail> {
  if (subject === undefined) return [];
  const { raw, sandbox, organisationId } = sources;
  const { rows: linked } = await raw.query<{ alert_id: string; charge: string | null }>(
    `select alert_id, charge_reference as charge from alert_case
     where organisation_id = $1 and (alert_id = $2 or charge_reference = $2)`,
    [organisationId, subject],
  );
  const alerts = new Set([subject, ...linked.map((row) => row.alert_id)]);
  const charges = new Set([subject, ...linked.flatMap((row) => row.charge ?? [])]);
  const entries = [
    ...(await auditEntries(sources, [...alerts])),
    ...sandbox.patchLog
      .filter((patch) => alerts.has(patch.alert_id))
      .map((patch) => ({
        at: patch.at,
        text: `service: ${patch.action} on ${patch.alert_id}, answered ${patch.http_status}`,
      })),
    ...sandbox
      .charges()
      .filter((charge) => charges.has(charge.reference))
      .flatMap((charge) => charge.refunds)
      .map((refund) => ({
        at: refund.created_at,
        text: `processor: ${refund.status} ${refund.amount_in_cents} on ${refund.charge_reference}, key ${refund.idempotency_key}`,
      })),
  ];
  return entries
    .sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
    .map((entry) => `${entry.at} ${entry.text}`);
}

async function auditEntries(sources: TrailSources, alerts: readonly string[]): Promise<Entry[]> {
  const { rows } = await sources.raw.query<{
    at: Date;
    subject: string;
    actor: string;
    what: string;
    from_state: string | null;
    to_state: string | null;
    detail: unknown;
  }>(
    `select at, subject, actor, what, from_state, to_state, detail from audit
     where organisation_id = $1 and alert_id = any ($2) order by id`,
    [sources.organisationId, alerts],
  );
  return rows.map((row) => {
    const move = row.to_state === null ? '' : ` ${row.from_state ?? ''}→${row.to_state}`;
    const text = `${row.subject} (${row.actor}):${move} ${row.what} ${JSON.stringify(row.detail)}`;
    return { at: row.at.toISOString(), text };
  });
}
