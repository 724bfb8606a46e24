import type { Server } from 'node:http';
import type { Express } from 'express';
import type { Recorder } from './recording/recorder.ts';
import type { RequestLog } from './request-log.ts';
import type { SandboxContext } from './sandbox-context.ts';

export interface SandboxParts {
  readonly context: SandboxContext;
  readonly requestLog: RequestLog;
  readonly recorder: Recorder;
  readonly app: Express;
  readonly server: Server;
  readonly port: number;
  reset(): void;
}
