/**
 * Puts the gate in front of a route of the interface: key, rate limit, ability, in this order, so
 * that a stranger cannot use up an organisation's pool.
 */
import { authenticate, authorise } from '../access.ts';
import type { RateLimits } from '../limits.ts';
import { poolOwner } from '../pool-owner.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { Endpoint } from './endpoint.ts';
import type { Answer, Route } from './route.ts';

export function interfaceEndpoint(
  context: SandboxContext,
  limits: RateLimits,
  route: Route,
): Endpoint {
  const name = `${route.method} ${route.path}`;
  const rule = { ability: route.ability, partnerOnly: route.partnerOnly ?? false };
  return {
    method: route.method,
    path: route.path,
    faultable: true,
    handle(incoming): Answer {
      const key = authenticate(context, incoming.header('authorization'));
      incoming.entry.key_id = key.id;
      limits.take(poolOwner({ context, route }, key, incoming), name, context.clock.nowMs());
      authorise(key, rule);
      return route.handle({
        context,
        key,
        params: incoming.params,
        query: incoming.query,
        body: incoming.readBody(),
        concurrent: incoming.concurrent,
      });
    },
  };
}
