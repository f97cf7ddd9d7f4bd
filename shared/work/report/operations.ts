import { reportedCloud, reportedNames } from './clouds.ts'
import { OVERALL } from '../../http/begun-work.ts'
import { Deleted, listOf } from '../../http/common-fields.ts'
import {
  type Operation,
  deleted,
  redirect,
  ok,
  operation,
  route,
  type Route,
  okStored,
  createdStored,
} from '../../http/operation.ts'
import { listContents } from './contents.ts'
import { downloadReport } from './download.ts'
import { ReportPath, ReportQuery, type ReportWishes } from './model.ts'
import type { AnyReported } from './reported.ts'
import { createReport, deleteReport, getReport, listReports } from './reports.ts'
import * as z from 'zod'

/** GET /v1/keymgr/<cloud>/reports: newest first; reports of containers whose reports the caller may see. */
export const list = (of: AnyReported): Operation =>
  operation(
    { summary: 'List Reports', query: ReportQuery, answers: listOf(of.schemas.report), may: 'report-users' },
    async ({ query, context }) => ok(await listReports(context, of, query)),
  )

/** POST /v1/keymgr/<cloud>/reports: starts a report; its record shows the progress. */
export function create(of: AnyReported): Operation {
  const body = of.schemas.create as z.ZodType<ReportWishes> // the cloud's own row reads the other fields of its body
  const begins = {
    ...{ ...OVERALL, read: `/v1/keymgr/${of.cloud}/reports/{id}`, failed: ['failed'], reasons: ['detailed_status'] },
    ...{ done: 'detailed_status', total: of.listedAs },
  }
  return operation(
    { summary: 'Create Report', body, answers: of.schemas.report, status: 201, may: 'report-users', begins },
    async ({ body: wishes, context }) => createdStored(await createReport(context, of, wishes)),
  )
}

/** GET /v1/keymgr/<cloud>/reports/{id}: while it is under way, with the containers that are finished. */
export const get = (of: AnyReported): Operation =>
  operation(
    { summary: 'Get Report', path: ReportPath, answers: of.schemas.report, may: 'report-users' },
    async ({ path, context }) => okStored(await getReport(context, of, path.id)),
  )

/** DELETE /v1/keymgr/<cloud>/reports/{id}: aborts a report that is under way. */
export const remove = (of: AnyReported): Operation =>
  operation(
    { summary: 'Delete Report', path: ReportPath, answers: Deleted, may: 'report-users' },
    async ({ path, context }) => {
      await deleteReport(context, of, path.id)
      return deleted()
    },
  )

/** GET /v1/keymgr/<cloud>/reports/{id}/contents: the rows of the report, container by container. */
export const contents = (of: AnyReported): Operation =>
  operation(
    {
      summary: 'List Report Contents',
      path: ReportPath,
      query: of.schemas.contentQuery,
      answers: listOf(of.schemas.content),
      may: 'report-users',
    },
    async ({ path, query, context }) => ok(await listContents(context, of, path.id, query)),
  )

/** GET /v1/keymgr/<cloud>/reports/{id}/download: comma-separated text; a long one from a signed address. */
export const download = (of: AnyReported): Operation =>
  operation(
    {
      summary: 'Download Report',
      path: ReportPath,
      answers: z.string(),
      media: 'text/csv',
      mayRedirect: true,
      may: 'report-users',
    },
    async ({ path, context }) => {
      const found = await downloadReport(context, of, path.id)
      return 'text' in found ? ok(found.text) : redirect(found.location)
    },
  )

const routesOf = (of: AnyReported): Route[] => {
  const prefix = `/v1/keymgr/${of.cloud}/reports`
  return [
    route('GET', prefix, list(of)),
    route('POST', prefix, create(of)),
    route('GET', `${prefix}/{id}`, get(of)),
    route('DELETE', `${prefix}/{id}`, remove(of)),
    route('GET', `${prefix}/{id}/contents`, contents(of)),
    route('GET', `${prefix}/{id}/download`, download(of)),
  ]
}

/** The same six calls for every cloud with reports. */
export const routes: readonly Route[] = (await Promise.all(reportedNames().map(reportedCloud))).flatMap(routesOf)
