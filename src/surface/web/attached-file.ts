/** The file that came with a form, kept with its request. */
import type { Request } from 'express';

export interface AttachedFile {
  readonly fileName: string;
  readonly body: Buffer;
}

const files = new WeakMap<Request, AttachedFile>();

export function attach(request: Request, file: AttachedFile): void {
  files.set(request, file);
}

/** Undefined when none was chosen. */
export function fileOf(request: Request): AttachedFile | undefined {
  return files.get(request);
}
