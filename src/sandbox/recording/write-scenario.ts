/**
 * Writes a session as a scenario: each call with its answer, the events that were emitted, the
 * deliveries with what the receiver answered, and the time that passed in between.
 */
import { stringify } from 'yaml';
import type { RequestEntry } from '../request-log.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import type { CallStep, DeliveriesStep, Scenario, ScenarioStep } from '../scenario/scenario.ts';
import { member } from '../scenario/values.ts';
import type { DeliveryAttempt, EventRecord } from '../state/deliveries.ts';
import { Names } from './names.ts';
import type { Recorded, RecordedCall } from './recorder.ts';

type Happening =
  | { readonly kind: 'call'; readonly atMs: number; readonly call: RecordedCall }
  | { readonly kind: 'event'; readonly atMs: number; readonly event: EventRecord }
  | {
      readonly kind: 'attempt';
      readonly atMs: number;
      readonly attempt: DeliveryAttempt;
      readonly event: EventRecord;
    };

/** The session as a YAML file that `readScenarioFile` reads. */
export function writeScenario(context: SandboxContext, recorded: Recorded): string {
  return stringify(toScenario(context, recorded), { lineWidth: 100, aliasDuplicateObjects: false });
}

function toScenario(context: SandboxContext, recorded: Recorded): Scenario {
  const startedAt = new Date(recorded.startedAtMs).toISOString();
  const story = new Story(context, recorded);
  const steps = story.tell(happenings(context, recorded));
  return {
    name: `Recorded from ${startedAt}`,
    about: `What a sandbox was asked from ${startedAt} to ${nowIso(context)}, and what it did.`,
    clock: startedAt,
    ...(context.settings.webhookUrl === null ? {} : { webhooks: true }),
    ...(recorded.seeds.length === 0 ? {} : { seeds: [...recorded.seeds] }),
    steps,
  };
}

/** In the order in which they happened. At one moment: calls, then what they caused. */
function happenings(context: SandboxContext, recorded: Recorded): readonly Happening[] {
  const { deliveries, events } = context.state;
  const calls = recorded.calls.map(
    (call) => ({ kind: 'call', atMs: call.entry.atMs, call }) as const,
  );
  const emitted = [...events.values()].map(
    (event) => ({ kind: 'event', atMs: Date.parse(event.created_at), event }) as const,
  );
  const attempts = [...deliveries.values()].flatMap(({ attempts: made, event_id: id }) => {
    const event = events.get(id);
    if (event === undefined) return [];
    return made.map(
      (attempt) => ({ kind: 'attempt', atMs: Date.parse(attempt.at), attempt, event }) as const,
    );
  });
  return [...calls, ...emitted, ...attempts].sort((one, other) => one.atMs - other.atMs);
}

/** Steps under way, with the names that later ones use. */
class Story {
  readonly #names = new Names();
  readonly #steps: ScenarioStep[] = [];
  readonly #context: SandboxContext;
  #nowMs: number;

  constructor(context: SandboxContext, { startedAtMs, seeds }: Recorded) {
    this.#context = context;
    this.#nowMs = startedAtMs;
    for (const { url } of context.state.subscriptions.values()) {
      if (url !== null) this.#names.name(url, 'webhooks');
    }
    for (const [key, value] of Object.entries(context.state.accounts ?? {})) {
      this.#names.name(value, `accounts.${key}`);
    }
    this.#names.ofRequest(seeds);
  }

  tell(happened: readonly Happening[]): ScenarioStep[] {
    for (const happening of happened) {
      this.#passTime(happening.atMs);
      if (happening.kind === 'call') this.#steps.push(this.#callStep(happening.call));
      else if (happening.kind === 'event') this.#addEvent(happening.event);
      else this.#addDelivery(happening.attempt, happening.event);
    }
    return this.#steps.map((step) => this.#withoutIdleName(step));
  }

  #passTime(untilMs: number): void {
    if (untilMs <= this.#nowMs) return;
    const advance = durationText(untilMs - this.#nowMs);
    this.#steps.push({ step: `${advance} pass`, advance });
    this.#nowMs = untilMs;
  }

  #addEvent({ type }: EventRecord): void {
    const last = this.#steps.at(-1);
    if (last !== undefined && 'events' in last) last.events.push(type);
    else this.#steps.push({ step: 'what was emitted', events: [type] });
  }

  #addDelivery(attempt: DeliveryAttempt, event: EventRecord): void {
    const last = this.#steps.at(-1);
    const step: DeliveriesStep =
      last !== undefined && 'deliveries' in last
        ? last
        : { step: 'what was delivered', deliveries: [], save: this.#nextName() };
    if (step !== last) this.#steps.push(step);
    const place = `${step.save}.${step.deliveries.length}.data`;
    const data = member(parseJson(event.body.toString()), 'data');
    step.deliveries.push({
      event: event.type,
      answer: attempt.http_status ?? 'none',
      ...(data === undefined ? {} : { data: this.#names.ofAnswer(data, place) }),
    });
  }

  #callStep(call: RecordedCall): CallStep {
    const { method, url, entry } = call;
    const name = this.#nextName();
    const body = call.text === '' ? undefined : parseJson(call.text);
    const path = this.#names.filledIn(url);
    const request = {
      step: entry.endpoint ?? method,
      call: `${method} ${path}`,
      ...this.#callerOf(call),
      ...(body === undefined ? {} : { body: this.#names.ofRequest(body) }),
      ...(call.text !== '' && body === undefined ? { text: call.text } : {}),
    };
    return { ...request, save: name, expect: this.#expectation(entry, name) };
  }

  #expectation(entry: RequestEntry, name: string): NonNullable<CallStep['expect']> {
    const { answer, fault, status } = entry;
    // A fault may have bent the body: half a JSON has no ids to be named.
    const body = answer === null || fault !== null ? undefined : parseJson(answer);
    return body === undefined ? { status } : { status, body: this.#names.ofAnswer(body, name) };
  }

  /** Whose key was sent, and the key of the processor's contract. */
  #callerOf(call: RecordedCall): Pick<CallStep, 'as' | 'headers'> {
    const headers: Record<string, string> = {};
    if (call.idempotencyKey !== undefined) {
      headers['Idempotency-Key'] = this.#names.filledIn(call.idempotencyKey);
    }
    const as = this.#keyOf(call, headers);
    return {
      ...(as === undefined ? {} : { as }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
    };
  }

  #keyOf(call: RecordedCall, headers: Record<string, string>): CallStep['as'] {
    if (!/^\/v\d+\//.test(call.url)) return undefined;
    const token = /^Bearer (.+)$/.exec(call.authorization ?? '')?.[1];
    if (token === undefined) return 'nobody';
    const { accounts } = this.#context.state;
    if (token === accounts?.organisationKey) return undefined;
    if (token === accounts?.partnerKey) return 'partner';
    const isOurs = this.#names.knows(token) || this.#names.isGiven(token);
    // A key that is none of ours may be somebody's real one: it is not written down.
    headers['Authorization'] = `Bearer ${isOurs ? this.#names.filledIn(token) : 'unknown'}`;
    return 'nobody';
  }

  #nextName(): string {
    return `s${this.#steps.length + 1}`;
  }

  /** Keeps `save` where a later step uses it. */
  #withoutIdleName(step: ScenarioStep): ScenarioStep {
    if (!('save' in step) || step.save === undefined) return step;
    const { save, ...rest } = step;
    return this.#isUsed(save) ? step : rest;
  }

  #used: ReadonlySet<string> | undefined;
  #isUsed(name: string): boolean {
    this.#used ??= new Set(
      [...JSON.stringify(this.#steps).matchAll(/\$\{(s\d+)\./g)].map(([, used = '']) => used),
    );
    return this.#used.has(name);
  }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** `90000` as `90s`: the largest unit that fits without a rest. */
function durationText(durationMs: number): string {
  const unit = UNITS.find(([, ms]) => durationMs % ms === 0);
  return unit === undefined ? `${durationMs}ms` : `${durationMs / unit[1]}${unit[0]}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
