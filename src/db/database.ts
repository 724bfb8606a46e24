/**
 * Every table, one line each. Row types live beside the code that owns the table.
 */
import type {
  AlertTable,
  EnrolmentTable,
  EntityChangeTable,
  LookupTable,
  RepresentmentTable,
  SchemeNoticeTable,
} from '../apply/entity.table.ts';
import type { AuditTable } from '../audit/audit.table.ts';
import type { AlertCaseTable } from '../cases/case.table.ts';
import type { RequestBudgetTable } from '../client/budget.table.ts';
import type { DecisionTable } from '../decide/decision.table.ts';
import type { DeclarationTable } from '../declare/declaration.table.ts';
import type {
  OrderImportTable,
  OrderNestedReferenceTable,
  OrderPushTable,
  OrderRecordTable,
} from '../feed/order.table.ts';
import type { ClusterLeaseTable, FactTable, WorkerHeartbeatTable } from '../jobs/cluster.table.ts';
import type { ChargeTable, MatchTable } from '../match/match.table.ts';
import type { NotificationTable } from '../notify/notification.table.ts';
import type { PolicyActivationTable, PolicyVersionTable } from '../policy/version.table.ts';
import type {
  InboxEventTable,
  InboxIdTable,
  InboxWorkTable,
  QuarantineTable,
} from '../receive/inbox.table.ts';
import type { FindingTable, PollRequestTable } from '../reconcile/finding.table.ts';
import type { RefundTable } from '../refund/refund.table.ts';

export interface Database {
  inbox_id: InboxIdTable;
  inbox_event: InboxEventTable;
  inbox_work: InboxWorkTable;
  quarantine: QuarantineTable;
  poll_request: PollRequestTable;
  alert: AlertTable;
  lookup: LookupTable;
  enrolment: EnrolmentTable;
  representment: RepresentmentTable;
  scheme_notice: SchemeNoticeTable;
  entity_change: EntityChangeTable;
  charge: ChargeTable;
  match: MatchTable;
  policy_version: PolicyVersionTable;
  policy_activation: PolicyActivationTable;
  decision: DecisionTable;
  alert_case: AlertCaseTable;
  refund: RefundTable;
  declaration: DeclarationTable;
  audit: AuditTable;
  notification: NotificationTable;
  finding: FindingTable;
  request_budget: RequestBudgetTable;
  worker_heartbeat: WorkerHeartbeatTable;
  cluster_lease: ClusterLeaseTable;
  fact: FactTable;
  order_record: OrderRecordTable;
  order_push: OrderPushTable;
  order_nested_reference: OrderNestedReferenceTable;
  order_import: OrderImportTable;
}
