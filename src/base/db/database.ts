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
} from '../../alerts/apply/entity.table.ts';
import type { AlertCaseTable } from '../../alerts/cases/case.table.ts';
import type { DecisionTable } from '../../alerts/decide/decision.table.ts';
import type { DeclarationTable } from '../../alerts/declare/declaration.table.ts';
import type {
  BlockedCustomerTable,
  MoneyPauseTable,
  RefundApprovalTable,
  RefundApproverTable,
  RefundBreakerTable,
  RefundCustomerTable,
} from '../../alerts/guard/guard.table.ts';
import type {
  ChargeAccountTable,
  CoverTable,
  DisputeMentionTable,
  DisputeTable,
  MovementTable,
} from '../../alerts/ledger/ledger.table.ts';
import type { MatchChoiceTable } from '../../alerts/match/choice.table.ts';
import type { ChargeTable, MatchTable } from '../../alerts/match/match.table.ts';
import type {
  InboxEventTable,
  InboxIdTable,
  InboxWorkTable,
  QuarantineTable,
} from '../../alerts/receive/inbox.table.ts';
import type { ReviewClaimTable, ReviewCommentTable } from '../../alerts/review/review.table.ts';
import type {
  SideActionDueTable,
  SideActionTable,
} from '../../alerts/side-action/side-action.table.ts';
import type {
  ActivityDayTable,
  ActivityHourTable,
  LookupDayTable,
} from '../../books/insights/activity.table.ts';
import type { FigureTable } from '../../books/insights/figure.table.ts';
import type { ShadowReportTable } from '../../books/insights/shadow-report.table.ts';
import type {
  BookCheckTable,
  DailyReportTable,
  ReconcileRequestTable,
} from '../../books/reconcile/reconcile.table.ts';
import type {
  FeedBrakeTable,
  OrderImportTable,
  OrderNestedReferenceTable,
  OrderPushTable,
  OrderRecordTable,
} from '../../orders/order.table.ts';
import type { ConsoleAttemptTable } from '../../people/console/access/attempt.table.ts';
import type {
  ConsoleOidcFlowTable,
  ConsoleOperatorTable,
  ConsoleSessionTable,
} from '../../people/console/access/operator.table.ts';
import type { SavedViewTable } from '../../people/console/saved-view.table.ts';
import type { BacktestTable } from '../../policy/backtest.table.ts';
import type { PolicyActivationTable, PolicyVersionTable } from '../../policy/version.table.ts';
import type { RequestBudgetTable } from '../../service/client/budget.table.ts';
import type { AuditTable } from '../audit/audit.table.ts';
import type { FindingTable, PollRequestTable } from '../findings/finding.table.ts';
import type { ClusterLeaseTable, FactTable, WorkerHeartbeatTable } from '../jobs/cluster.table.ts';
import type { NotificationTable } from '../notify/notification.table.ts';
import type { DataKeyTable } from '../seal/data-key.table.ts';

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
