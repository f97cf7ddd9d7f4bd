import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { fieldsOf, type Load } from '../base/room.ts'
import { resourceUri } from '../base/ids.ts'
import { Changes, type Touched } from '../store/changes.ts'
import { WriteStopped, withoutWrites } from '../store/without-writes.ts'
import type { Context, Subject, ToBeMade } from './context.ts'
import { dangerOf } from './danger.ts'
import { isKeymgrAdmin } from './permission.ts'
import { isWrite, ok, type Reply, type Route } from './operation.ts'
import type { Call } from './request/call.ts'

/** Records that use one of those that a call would touch. */
export interface Dependent {
  readonly kind: string
  readonly count: number
  readonly names: readonly string[]
  /** ids of the endpoints whose data planes serve those with a name */
  readonly endpoints?: readonly string[]
}

/** A caller of an endpoint's data plane. */
export interface Application {
  readonly endpoint_id: string
  /** as audit records name it */
  readonly caller: string
  readonly calls: number
  /** the last day with a call, such as `2026-03-01` */
  readonly last_day: string
}

type FindApplications = (context: Context, endpoints: readonly string[]) => Promise<readonly Application[]>
type FindDependents = (context: Context, ids: readonly string[]) => Promise<readonly Dependent[]>

declare module '../base/room.ts' {
  interface RoomRow {
    /** The records that use items of an entity which a call would change, for its dry run. */
    readonly dependents?: Readonly<Record<string, Load<FindDependents>>>
    /** The latest callers of endpoints; ids of other records have none. */
    readonly applications?: Load<FindApplications>
  }
}

const ACTIONS = ['create', 'update', 'delete'] as const

/** The answer to a dry run: nothing has changed. */
export const DryRun = z
  .object({
    dry_run: z.literal(true),
    changes: z
      .array(z.object({ action: z.enum(ACTIONS), resource_uri: z.string(), resource_name: z.string() }))
      .meta({ description: 'records that the call would make, change or delete, of those that you may see' }),
    uses: z
      .array(z.object({ kind: z.string(), count: z.int(), names: z.array(z.string()) }))
      .meta({ description: 'uses of the local keys among them; at most five names that you may see' }),
    applications: z
      .array(
        z.object({
          endpoint_id: z.string(),
          caller: z.string().meta({ description: 'as audit records name it; `(others)` for those counted together' }),
          calls: z.int(),
          last_day: z.string().meta({ description: 'the last day with a call, in UTC' }),
        }),
      )
      .meta({
        description:
          'callers of the endpoints among them and their users in the last 90 days; at most 50, those with most calls',
      }),
    continues: z
      .boolean()
      .meta({ description: 'calls to a cloud or background work would follow; their changes are not listed' }),
  })
  .meta({ description: 'the answer to a call with dry_run=true: nothing has changed' })
export type DryRun = z.infer<typeof DryRun>

/**
 * Whether a route accepts `dry_run=true`: calls that change one existing record and may affect its users. Ours: no
 * other calls, because their answer would only show the new record.
 */
export const offersDryRun = (route: Route): boolean => {
  const { once, tries, may } = route.operation.declaration
  const isOpen = may === 'anyone' || may === 'platform-clients'
  return isWrite(route) && route.path.includes('{') && !once && !tries && !isOpen && dangerOf(route).level > 0
}

/** Names of a stored item; items without a `uri` are no records that callers see. */
function shownOf({ action, item }: Touched): DryRun['changes'] {
  const { uri, name } = item as { readonly uri?: unknown; readonly name?: unknown }
  if (typeof uri !== 'string') return []
  return [{ action, resource_uri: uri, resource_name: typeof name === 'string' ? name : '' }]
}

/** `vault:keys` of a URI, for example. */
const kindOf = (uri: string): string => uri.split(':').slice(2, 4).join(':')

/**
 * The records that would change. Ours: callers who do not administer cloud keys and endpoints see only records of the
 * kind that the call names, because others may belong to other users.
 */
function changesOf(route: Route, call: Call, changes: Changes, made: ToBeMade | undefined): DryRun['changes'] {
  const { subject, caller } = call
  const isSeen = ({ resource_uri: uri }: { readonly resource_uri: string }): boolean =>
    isKeymgrAdmin(caller) || (subject !== undefined && kindOf(uri) === kindOf(subject.uri))
  const staged = changes.touched.flatMap(shownOf).filter(isSeen)
  const isStaged = (uri: string): boolean => staged.some(({ resource_uri }) => resource_uri === uri)
  const named =
    subject === undefined || isStaged(subject.uri)
      ? []
      : [
          {
            action: route.method === 'DELETE' ? ('delete' as const) : ('update' as const),
            resource_uri: subject.uri,
            resource_name: subject.name,
          },
        ]
  const begun =
    made === undefined
      ? []
      : [
          {
            action: 'create' as const,
            resource_uri: resourceUri(caller.domain.id, 'keymgr', made.type, made.id),
            resource_name: '',
          },
        ]
  return [...named, ...staged, ...begun]
}

/**
 * The callers that the change of a record or of the keys of endpoints may stop. Ours: who is no administrator of cloud
 * keys and endpoints sees those of endpoints whose names it sees.
 */
async function applicationsOf(context: Context, subject: Subject | undefined, dependents: readonly Dependent[]) {
  const named = isKeymgrAdmin(context.caller) ? (subject?.uri.split(':').at(-1) ?? '') : ''
  const endpoints = [...dependents.flatMap(({ endpoints = [] }) => endpoints), ...(named === '' ? [] : [named])]
  const found = fieldsOf('applications').map(async (load) => (await load())(context, [...new Set(endpoints)]))
  return (await Promise.all(found)).flat()
}

/** The users of the existing records that a call would touch. */
async function dependentsOf(context: Context, touched: readonly Touched[]): Promise<readonly Dependent[]> {
  const existing = touched.filter(({ action }) => action !== 'create')
  const found = fieldsOf('dependents').flatMap((row) =>
    Object.entries(row).map(async ([entity, load]) => {
      const ids = existing.filter((one) => one.entity === entity).map(({ id }) => id)
      return ids.length === 0 ? [] : (await load())(context, [...new Set(ids)])
    }),
  )
  return (await Promise.all(found)).flat()
}

/**
 * Runs an operation up to its first effect: the commit of its changes, a write to the table on the way, or a call to a
 * cloud, which `beforeEffects` announces. Everything that a real call would be refused for is refused the same.
 * @param contextOf a context with these changes
 * @throws Refusal as the operation itself
 */
export async function dryRun(route: Route, call: Call, contextOf: (changes: Changes) => Context): Promise<Reply> {
  const changes = new Changes()
  const whole = contextOf(changes)
  let made: ToBeMade | undefined
  const context: Context = {
    ...whole,
    fingerprint: () => Promise.resolve(randomUUID()), // it continues no earlier call
    hasIdempotencyKey: false,
    beforeEffects: (begins) => {
      whole.beforeEffects(begins)
      made = begins
      throw new WriteStopped('The effects begin')
    },
  }
  const { path, query, body } = call
  const isStopped = await withoutWrites(async () => {
    call.gate.settle(await route.operation.run({ path, query, body, context }))
    return false
  }).catch((error: unknown) => {
    if (error instanceof WriteStopped) return true
    throw error
  })
  const dependents = await dependentsOf(context, changes.touched)
  return ok({
    dry_run: true,
    changes: changesOf(route, call, changes, made),
    uses: dependents.map(({ kind, count, names }) => ({ kind, count, names: [...names] })),
    applications: [...(await applicationsOf(whole, call.subject, dependents))],
    continues: isStopped,
  } satisfies DryRun)
}
