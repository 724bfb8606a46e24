/**
 * Receives Adyen's webhooks on a port of its own and keeps them. Rename it and make it yours, or mount
 * `receive` in your own server: it takes a Request and gives a Response.
 *
 * @example ADYEN_RECEIVER_PORT=8090 node forestall/processors/adyen/receiver.example.ts
 */
import { eventReceiver, serveEvents } from 'forestall/adapter';
import { setting } from '../../shared/setting.ts';
import { events } from './events.example.ts';

// Older webhooks look for this word in the answer.
export const receive = eventReceiver(events, { accepted: '[accepted]' });

serveEvents(receive, Number(setting('ADYEN_RECEIVER_PORT')));
