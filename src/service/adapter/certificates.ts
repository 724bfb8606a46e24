/**
 * Certificates with which a provider signs its webhooks, fetched from the address that each delivery names. Anybody can
 * name addresses: who calls this looks first whether one is the provider's own; this keeps few and fetches seldom.
 */
import { X509Certificate } from 'node:crypto';

/** The certificate of the address, or why it cannot be had. */
export type CertificateAt = (url: string, nowMs: number) => Promise<X509Certificate | string>;

/** A provider has a few at a time. */
const CERTIFICATES_MAX = 8;

/** At most so many fetches in a minute, whatever addresses strangers name. */
const FETCHES_PER_MINUTE_MAX = 6;

const FETCH_TIMEOUT_MS = 3_000;

/** Keeps what was fetched, valid or not: see {@link isValidAt}. */
export function certificatesBy(
  fetchPem: (url: string) => Promise<string> = fetchOverHttps,
): CertificateAt {
  const kept = new Map<string, X509Certificate>();
  let minute = Number.NaN;
  let fetches = 0;
  return async (url, nowMs) => {
    const known = kept.get(url);
    if (known !== undefined) return known;
    const now = Math.floor(nowMs / 60_000);
    fetches = now === minute ? fetches + 1 : 1;
    minute = now;
    if (fetches > FETCHES_PER_MINUTE_MAX) return 'too many certificates are named';
    try {
      const certificate = new X509Certificate(await fetchPem(url));
      if (kept.size >= CERTIFICATES_MAX) kept.clear();
      kept.set(url, certificate);
      return certificate;
    } catch {
      return 'the certificate could not be had';
    }
  };
}

/** Whether the certificate holds at that moment. */
export function isValidAt({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}

async function fetchOverHttps(url: string): Promise<string> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const response = await fetch(url, { redirect: 'error', signal });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return await response.text();
}
