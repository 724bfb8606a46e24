/**
 * Whose rate pools a request draws from: those of the organisation it is about, whichever key sends
 * it. Two exceptions: the order create limit of a partner key is its group's, and so is what names no
 * organisation, such as a list of everything the group reaches.
 */
import { isRecord } from '../base/kernel/is-record.ts';
import { reaches } from './access.ts';
import type { Incoming } from './http/endpoint.ts';
import type { Route } from './http/route.ts';
import type { SandboxContext } from './sandbox-context.ts';
import type { ApiKey } from './state/accounts.ts';
import type { State } from './state/state.ts';

/** The id of the organisation or partner group. What the key does not reach costs its own group. */
export function poolOwner(
  { context, route }: { readonly context: SandboxContext; readonly route: Route },
  key: ApiKey,
  incoming: Incoming,
): string {
  const isOrderCreate = route.ability === 'orders:write';
  if (key.level === 'organisation' || isOrderCreate) return key.owner_id;
  const named = { ...fieldsOf(incoming), ...incoming.query, ...incoming.params };
  const about = organisationsOf(context.state, named).find((id) => reaches(context, key, id));
  return about ?? key.owner_id;
}

/** The body as far as it can be read; a rule refuses the rest later. */
function fieldsOf(incoming: Incoming): object {
  try {
    const body = incoming.readBody();
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}

/** The organisations of everything that path, query and body name. */
function organisationsOf(state: State, named: Readonly<Record<string, unknown>>): string[] {
  const holders = {
    order_id: state.orders,
    alert_id: state.alerts,
    merchant_id: state.merchants,
    merchant_ids: state.merchants,
    enrolment_id: state.enrolments,
    enrolment_ids: state.enrolments,
    ruleset_id: state.rulesets,
    integration_id: state.integrations,
  };
  const found = Object.entries(holders).flatMap(([name, holder]) =>
    [named[name]].flat().flatMap((id) => holder.get(String(id))?.organisation_id ?? []),
  );
  const { organisation_id: given } = named;
  return typeof given === 'string' ? [given, ...found] : found;
}
