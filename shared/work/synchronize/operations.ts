import * as z from 'zod'
import { OVERALL } from '../../http/begun-work.ts'
import { column, listOf, NameOrId } from '../../http/common-fields.ts'
import { anyOf, anyText, listQuery } from '../../http/lists/list-query.ts'
import { createdStored, ok, okStored, operation, route, type Route } from '../../http/operation.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import {
  cancelSynchronization,
  getSynchronization,
  listSynchronizations,
  startSynchronization,
  type Scope,
  type Source,
} from './jobs.ts'
import {
  SYNCHRONIZATION_STATUSES,
  SynchronizationJob,
  SynchronizationJobPath,
  type SynchronizationQuery,
} from './model.ts'

/** A kind of synchronization, and its names in bodies and records. */
export interface SynchronizationKind {
  readonly source: Source
  /** field under which containers are listed */
  readonly containerList: string
  /** for summaries, such as `Key Store Synchronization` */
  readonly noun: string
  /** fields of a job, besides its containers: in the body, and as shown */
  readonly narrowing?: { readonly given: z.ZodRawShape; readonly shown: z.ZodRawShape }
}

const CONTAINERS_MOST = 100
const Containers = z.array(NameOrId).min(1).max(CONTAINERS_MOST)

const eitherAll = (list: string): Rule => ({
  message: `exactly one of ${list} and synchronize_all must be given`,
  field: list,
  broken: ({ [list]: containers, synchronize_all }) => (containers !== undefined) === (synchronize_all === true),
})

function schemasOf({ containerList, narrowing }: SynchronizationKind) {
  const job = extended(SynchronizationJob, () => ({
    [containerList]: z.array(z.string()).meta({ ...column('container'), description: 'names of the containers' }),
    ...narrowing?.shown,
  }))
  const start = withRules(
    strictObject(() => ({
      [containerList]: Containers.optional(),
      ...narrowing?.given,
      synchronize_all: z.boolean().optional(),
    })),
    eitherAll(containerList),
  )
  const query = listQuery(job, () => ({
    id: anyText().optional(),
    overall_status: anyOf(SYNCHRONIZATION_STATUSES).optional(),
    [containerList]: anyText().optional(),
  }))
  // zod types a computed key as any key
  return { job, start, query: query as unknown as z.ZodType<SynchronizationQuery & Readonly<Record<string, unknown>>> }
}

/** The four calls of a kind of synchronization, below its path. */
export function synchronizationRoutes(prefix: string, kind: SynchronizationKind): Route[] {
  const { source, containerList, noun } = kind
  const { job: answers, start: body, query } = schemasOf(kind)
  const path = SynchronizationJobPath
  const may = 'keymgr-users'
  const begins = { ...OVERALL, read: `${prefix}/{id}`, reasons: ['errors', 'detailed_status'] }
  const containersOf = (given: Readonly<Record<string, unknown>>) => given[containerList] as Scope['containers'] // as checked
  return [
    route(
      'GET',
      prefix,
      operation({ summary: `List ${noun}s`, query, answers: listOf(answers), may }, async ({ query: asked, context }) =>
        ok(await listSynchronizations(context, source, asked, containersOf(asked))),
      ),
    ),
    route(
      'POST',
      prefix,
      operation(
        { summary: `Start ${noun}`, body, answers, status: 201, may, begins },
        async ({ body: scope, context }) =>
          createdStored(await startSynchronization(context, source, { ...scope, containers: containersOf(scope) })),
      ),
    ),
    route(
      'GET',
      `${prefix}/{id}`,
      operation({ summary: `Get ${noun}`, path, answers, may }, async ({ path: { id }, context }) =>
        okStored(await getSynchronization(context, source, id)),
      ),
    ),
    route(
      'POST',
      `${prefix}/{id}/cancel`,
      operation({ summary: `Cancel ${noun}`, path, answers, may }, async ({ path: { id }, context }) =>
        okStored(await cancelSynchronization(context, source, id)),
      ),
    ),
  ]
}
