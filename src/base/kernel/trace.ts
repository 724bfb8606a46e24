/**
 * Traces, for anyone who runs OpenTelemetry: one trace per alert, from its webhook to its answer.
 *
 * Off unless the process loads an OpenTelemetry SDK, for example with
 * `node --import @opentelemetry/auto-instrumentations-node/register`. The trace's id is derived from the
 * alert's id, so every process and every restart writes into the same trace without storing anything,
 * and log lines that name an alert carry the same id. Attributes are ids, states and codes only.
 */
import { createHash } from 'node:crypto';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import {
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

const TRACE_ID_LENGTH = 32;
const SPAN_ID_LENGTH = 16;

/** The id of an alert's trace: 32 hexadecimal characters of the SHA-256 of `forestall:<alert id>`. */
export function traceIdOf(alertId: string): string {
  return digestOf(alertId).slice(0, TRACE_ID_LENGTH);
}

function digestOf(alertId: string): string {
  return createHash('sha256').update(`forestall:${alertId}`).digest('hex');
}

/** All spans of an alert hang below one that is never written: which comes first must not matter. */
function contextOf(alertId: string): Context {
  const digest = digestOf(alertId);
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: digest.slice(0, TRACE_ID_LENGTH),
    spanId: digest.slice(TRACE_ID_LENGTH, TRACE_ID_LENGTH + SPAN_ID_LENGTH),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

/** What a span is about. */
export interface Traced {
  readonly alertId: string;
  readonly attributes?: Attributes;
}

/** Does `work` inside a span of the alert's trace. A throw ends the span as failed and continues. */
export async function traced<Result>(
  name: string,
  { alertId, attributes }: Traced,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return await work();
  const options = { attributes: { ...attributes, 'forestall.alert_id': alertId } };
  return await tracer().startActiveSpan(name, options, contextOf(alertId), async (span) => {
    try {
      return await work();
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Writes a span of something that is over. */
export function tracePast(
  name: string,
  { alertId, attributes }: Traced,
  time: { readonly startedAt: Date; readonly endedAt: Date },
): void {
  if (!isTracing()) return;
  const options = {
    startTime: time.startedAt,
    attributes: { ...attributes, 'forestall.alert_id': alertId },
  };
  tracer().startSpan(name, options, contextOf(alertId)).end(time.endedAt);
}

/** Whether somebody has loaded an SDK; without one nothing below costs anything. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return true;
  return provider.getDelegateTracer('forestall') !== undefined;
}

function tracer(): ReturnType<typeof trace.getTracer> {
  return trace.getTracer('forestall');
}

/** Only the kind of the failure: messages can carry values. */
function fail(span: Span, error: unknown): void {
  const message = error instanceof Error ? error.name : typeof error;
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
