/**
 * Guarantee: with an OpenTelemetry SDK loaded, one alert is one trace from its webhook to its answer, in
 * whatever process it is worked on; without one nothing is traced; and no span says more than ids.
 */
import type { Attributes, Context, Span, SpanOptions, TimeInput, Tracer } from '@opentelemetry/api';
import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/kernel/log.ts';
import { traced, traceIdOf } from '../../src/base/kernel/trace.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';

interface Written {
  readonly name: string;
  readonly traceId: string;
  readonly attributes: Attributes;
  readonly status: string[];
  ended: boolean;
}

const written: Written[] = [];

/** What an SDK would be: it keeps what it is told. */
function createTracer(): Tracer {
  const startSpan = (name: string, options: SpanOptions = {}, parent?: Context): Span => {
    const parentContext = parent === undefined ? undefined : trace.getSpanContext(parent);
    const entry: Written = {
      name,
      traceId: parentContext?.traceId ?? 'none',
      attributes: options.attributes ?? {},
      status: [],
      ended: false,
    };
    written.push(entry);
    const span: Span = {
      spanContext: () => ({ traceId: entry.traceId, spanId: '00000000000000aa', traceFlags: 1 }),
      setAttribute: () => span,
      setAttributes: () => span,
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: ({ message }) => {
        entry.status.push(message ?? '');
        return span;
      },
      updateName: () => span,
      end: (_time?: TimeInput) => {
        entry.ended = true;
      },
      isRecording: () => true,
      recordException: () => undefined,
    };
    return span;
  };
  const startActiveSpan = (name: string, ...rest: unknown[]): unknown => {
    const work = rest.at(-1) as (span: Span) => unknown;
    const [options, parent] = rest.slice(0, -1) as [SpanOptions?, Context?];
    return work(startSpan(name, options, parent));
  };
  return { startSpan, startActiveSpan: startActiveSpan as Tracer['startActiveSpan'] };
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  trace.disable();
  await world.close();
});

async function oneAlert(): Promise<string> {
  const { charge } = await world.sell(PRODUCTS.font);
  const alert = world.sandbox.createAlertFor(charge.reference);
  await world.drain();
  expect(await world.stateOf(alert.id)).toBe('DECLARED_REFUND');
  return alert.id;
}

describe('traces', () => {
  it('are off unless an SDK is loaded', async () => {
    await oneAlert();
    expect(written).toEqual([]);
  });

  it('hold every step of an alert, and each span ends', async () => {
    trace.setGlobalTracerProvider({ getTracer: createTracer });
    const first = await oneAlert();
    const second = await oneAlert();
    const names = (alertId: string) =>
      written.filter(({ traceId }) => traceId === traceIdOf(alertId)).map(({ name }) => name);
    expect(new Set(names(first))).toEqual(
      new Set([
        'webhook applied',
        'case RECEIVED',
        'case MATCHED',
        'case DECIDED_REFUND',
        'processor refund',
        'case DECLARE_REFUND',
        'service PATCH alert',
      ]),
    );
    expect(new Set(names(second))).toEqual(new Set(names(first)));
    expect(written.filter(({ ended }) => !ended)).toEqual([]);
  });

  it('say ids, states and codes only', () => {
    const keys = new Set(written.flatMap(({ attributes }) => Object.keys(attributes)));
    for (const key of keys) {
      expect(['alert_id', 'event_id', 'movement_id', 'attempt', 'action']).toContain(
        key.replace('forestall.', ''),
      );
    }
  });

  it('tell of a failure by its kind, and let it through', async () => {
    const failing = traced('failing', { alertId: 'netalrt_x' }, async () => {
      throw new TypeError('card 4242');
    });
    await expect(failing).rejects.toThrow('card 4242');
    expect(written.at(-1)).toMatchObject({ name: 'failing', status: ['TypeError'], ended: true });
  });
});

describe('the log', () => {
  it('carries the trace’s id on every line that names an alert', () => {
    const lines: string[] = [];
    const log = createLog({ destination: { write: (line) => void lines.push(line) } });
    log.info({ alertId: 'netalrt_1' }, 'named');
    log.info({ other: 1 }, 'not named');
    // printf 'forestall:netalrt_1' | openssl dgst -sha256, first 32 digits
    expect(lines.map((line) => (JSON.parse(line) as { traceId?: string }).traceId)).toEqual([
      'f2ec871f113bcf57274cfc3c530401bf',
      undefined,
    ]);
  });
});
