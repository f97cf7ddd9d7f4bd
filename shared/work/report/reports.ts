import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { newGenerations, startGeneration } from '../engine/generation.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { CONTAINERS_MOST, type AnyReport, type ReportQuery, type ReportWishes } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import {
  partIds,
  remainsOf,
  REPORT_FLOW,
  reportParts,
  reportRemains,
  reports,
  reportsOf,
  type ReportContainer,
  type StoredReport,
  type StoredReportPart,
} from './store.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { atOnce } from '../../base/at-once.ts'
import { without } from '../../base/fields.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { findReport, permitting } from './access.ts'
import type { AnyReported } from './reported.ts'
import { spanOf } from './span.ts'

/** A container's `detailed_status`, during the report and after its end. */
export const statusOf = ({ phase, message }: Pick<StoredReportPart, 'phase' | 'message'>): string =>
  phase === 'done' ? 'completed' : (message ?? 'in_progress')

/** Parts of a report under way, by container; containers not yet begun have none. */
export async function partsOf(
  domain: string,
  report: Pick<StoredReport, 'id' | 'containers'>,
): Promise<(Stored<StoredReportPart> | undefined)[]> {
  const ids = partIds(report)
  const byId = new Map((await reportParts.getMany(domain, ids, 'leave out')).map((part) => [part.item.id, part]))
  return ids.map((id) => byId.get(id))
}

/** A report in its cloud's schema; while it is under way, with the status of its parts. */
async function present(
  domain: string,
  of: AnyReported,
  { item, rev }: Stored<StoredReport>,
): Promise<Stored<AnyReport>> {
  const { containers, outcomes } = item
  const statuses =
    outcomes?.map(({ status }) => status) ??
    (await partsOf(domain, item)).map((part) => (part === undefined ? 'in_progress' : statusOf(part.item)))
  const shown = without(item, 'containers', 'outcomes', 'object', 'generation', 'resumes', 'dueAt')
  const detailed_status = Object.fromEntries(containers.map(({ name }, at) => [name, statuses[at] ?? 'in_progress']))
  const list = [...new Set(containers.map((container) => container.listed))]
  return { item: { ...shown, detailed_status, [of.listedAs]: list }, rev }
}

/** @throws Refusal RULE_BROKEN for too many places, or a place named twice */
function assertContainers(containers: readonly ReportContainer[]): void {
  if (containers.length > CONTAINERS_MOST)
    throw new Refusal('RULE_BROKEN', `One report covers at most ${CONTAINERS_MOST} places: name fewer.`)
  const isSame = (a: ReportContainer, b: ReportContainer): boolean => a.id === b.id && a.place === b.place
  const twice = containers.find((each, at) => containers.findIndex((other) => isSame(other, each)) !== at)
  if (twice !== undefined) throw new Refusal('RULE_BROKEN', `${twice.name} is named twice.`)
}

/**
 * Starts a report.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT for an archived container, NAME_TAKEN
 */
export async function createReport(context: Context, of: AnyReported, body: ReportWishes): Promise<Stored<AnyReport>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { name, report_type } = body
  const span = spanOf(body, now)
  const containers = await of.named(context, body)
  assertContainers(containers)
  const id = uuid(now)
  const report: StoredReport = {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'report', id), now),
    name,
    cloud_name: of.cloud,
    report_type,
    overall_status: 'in_progress',
    abort: false,
    ...span,
    containers,
    ...newGenerations(now),
  }
  changes.create(reports, domain, report, () => new Refusal('NAME_TAKEN', `There is a report "${name}" already.`))
  context.about({
    uri: report.uri,
    name,
    after: { report_type, ...span, containers: containers.map((each) => each.name) },
  })
  context.afterCommit(() => startGeneration(REPORT_FLOW, domain, report))
  return present(domain, of, { item: report, rev: 1 })
}

/** @throws Refusal NOT_FOUND */
export const getReport = async (context: Context, of: AnyReported, id: string): Promise<Stored<AnyReport>> =>
  present(context.caller.domain.id, of, await findReport(context, of, id, 'reportview'))

/** Ours: reports whose parts are read at the same time. */
const PRESENTED_AT_ONCE = 20

/** Reports of a cloud that the caller may see. */
export async function listReports(
  context: Context,
  of: AnyReported,
  query: ReportQuery,
): Promise<ResourceList<AnyReport>> {
  const { caller } = context
  const domain = caller.domain.id
  const maySee = await permitting(context, of, 'reportview')
  return listed(reports, domain, query, {
    served: reportsOf(of.cloud),
    filters: {
      id: query.id,
      overall_status: query.overall_status?.map((status) => status.replace(' ', '_')),
      report_type: query.report_type,
    },
    patterns: { name: query.name },
    matches: ({ container_ids }) => maySee(container_ids),
    matchesNarrows: !isKeymgrAdmin(caller),
    presentAll: async (page) =>
      (await atOnce(page, PRESENTED_AT_ONCE, (stored) => present(domain, of, stored))).map(({ item }) => item),
  })
}

/**
 * Deletes a report; the sweeper removes its rows within a minute. Ours: this aborts a report under way; the turn
 * working on it ends at its next page, when the write fails.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE
 */
export async function deleteReport(context: Context, of: AnyReported, id: string): Promise<void> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findReport(context, of, id, 'reportdelete')
  assertIfMatch(context, stored)
  const { uri, name, overall_status } = stored.item
  changes.remove(reports, domain, stored)
  changes.create(reportRemains, domain, remainsOf(stored.item, now))
  context.about({ uri, name, before: { overall_status, abort: overall_status === 'in_progress' }, record: stored.item })
}
