/** Rows that replicas share: who is alive, who holds a cluster-wide job, and small values by name. */
import type { Json, Timestamp } from '../db/database.ts';

declare module '../db/database.ts' {
  interface Database {
    worker_heartbeat: WorkerHeartbeatTable;
    cluster_lease: ClusterLeaseTable;
    fact: FactTable;
  }
}

export interface WorkerHeartbeatTable {
  worker_id: string;
  organisation_id: string;
  role: string;
  started_at: Timestamp;
  seen_at: Timestamp;
}

export interface ClusterLeaseTable {
  organisation_id: string;
  name: string;
  holder: string;
  until: Timestamp;
}

export interface FactTable {
  organisation_id: string;
  name: string;
  value: Json;
  changed_at: Timestamp;
}
