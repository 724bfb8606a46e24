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
import type { ConsoleAttemptTable } from '../console/access/attempt.table.ts';
import type {
  ConsoleOidcFlowTable,
  ConsoleOperatorTable,
  ConsoleSessionTable,
} from '../console/access/operator.table.ts';
import type { SavedViewTable } from '../console/saved-view.table.ts';
import type { DecisionTable } from '../decide/decision.table.ts';
import type { DeclarationTable } from '../declare/declaration.table.ts';
import type {
  FeedBrakeTable,
  OrderImportTable,
  OrderNestedReferenceTable,
  OrderPushTable,
  OrderRecordTable,
} from '../feed/order.table.ts';
import type {
  BlockedCustomerTable,
  MoneyPauseTable,
  RefundApprovalTable,
  RefundApproverTable,
  RefundBreakerTable,
  RefundCustomerTable,
} from '../guard/guard.table.ts';
import type {
  ActivityDayTable,
  ActivityHourTable,
  LookupDayTable,
} from '../insights/activity.table.ts';
import type { FigureTable } from '../insights/figure.table.ts';
import type { ShadowReportTable } from '../insights/shadow-report.table.ts';
import type { ClusterLeaseTable, FactTable, WorkerHeartbeatTable } from '../jobs/cluster.table.ts';
import type {
  ChargeAccountTable,
  CoverTable,
  DisputeMentionTable,
  DisputeTable,
  MovementTable,
} from '../ledger/ledger.table.ts';
import type { MatchChoiceTable } from '../match/choice.table.ts';
import type { ChargeTable, MatchTable } from '../match/match.table.ts';
import type { NotificationTable } from '../notify/notification.table.ts';
import type { BacktestTable } from '../policy/backtest.table.ts';
import type { PolicyActivationTable, PolicyVersionTable } from '../policy/version.table.ts';
import type {
  InboxEventTable,
  InboxIdTable,
  InboxWorkTable,
  QuarantineTable,
} from '../receive/inbox.table.ts';
import type { FindingTable, PollRequestTable } from '../reconcile/finding.table.ts';
import type {
  BookCheckTable,
  DailyReportTable,
  ReconcileRequestTable,
} from '../reconcile/reconcile.table.ts';
import type { ReviewClaimTable, ReviewCommentTable } from '../review/review.table.ts';
import type { DataKeyTable } from '../seal/data-key.table.ts';
import type { SideActionDueTable, SideActionTable } from '../side-action/side-action.table.ts';

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
  match_choice: MatchChoiceTable;
  policy_version: PolicyVersionTable;
  policy_activation: PolicyActivationTable;
  backtest: BacktestTable;
  decision: DecisionTable;
  alert_case: AlertCaseTable;
  charge_account: ChargeAccountTable;
  dispute: DisputeTable;
  dispute_mention: DisputeMentionTable;
  movement: MovementTable;
  cover: CoverTable;
  declaration: DeclarationTable;
  money_pause: MoneyPauseTable;
  refund_breaker: RefundBreakerTable;
  refund_customer: RefundCustomerTable;
  refund_approval: RefundApprovalTable;
  refund_approver: RefundApproverTable;
  blocked_customer: BlockedCustomerTable;
  review_claim: ReviewClaimTable;
  review_comment: ReviewCommentTable;
  side_action: SideActionTable;
  side_action_due: SideActionDueTable;
  shadow_report: ShadowReportTable;
  audit: AuditTable;
  notification: NotificationTable;
  finding: FindingTable;
  book_check: BookCheckTable;
  reconcile_request: ReconcileRequestTable;
  daily_report: DailyReportTable;
  console_operator: ConsoleOperatorTable;
  console_session: ConsoleSessionTable;
  console_oidc_flow: ConsoleOidcFlowTable;
  console_attempt: ConsoleAttemptTable;
  saved_view: SavedViewTable;
  activity_hour: ActivityHourTable;
  activity_day: ActivityDayTable;
  lookup_day: LookupDayTable;
  figure: FigureTable;
  figure_change: FigureTable;
  request_budget: RequestBudgetTable;
  worker_heartbeat: WorkerHeartbeatTable;
  cluster_lease: ClusterLeaseTable;
  fact: FactTable;
  data_key: DataKeyTable;
  order_record: OrderRecordTable;
  order_push: OrderPushTable;
  order_nested_reference: OrderNestedReferenceTable;
  order_import: OrderImportTable;
  feed_brake: FeedBrakeTable;
}
