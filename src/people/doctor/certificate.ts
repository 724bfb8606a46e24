/** Reads when the certificate of an address ends. */
import { connect } from 'node:tls';

/** The moment, or undefined when no certificate could be read in time. Never throws. */
export async function certificateEndsAt(url: URL, timeoutMs: number): Promise<Date | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 443 : Number(url.port);
  return await new Promise((done) => {
    // Whether it is trusted was seen by the request before; here only its end is read.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false });
    const end = (date: Date | undefined): void => {
      socket.destroy();
      done(date);
    };
    socket.setTimeout(timeoutMs, () => end(undefined));
    socket.once('error', () => end(undefined));
    socket.once('secureConnect', () => {
      const date = new Date(socket.getPeerCertificate().valid_to);
      end(Number.isNaN(date.getTime()) ? undefined : date);
    });
  });
}
