import * as z from 'zod'
import { patched } from '../base/fields.ts'
import { uuid, type CommonFields } from '../base/ids.ts'
import { fieldsOf } from '../base/json.ts'
import { Uuid } from '../http/common-fields.ts'
import type { Context } from '../http/context.ts'
import type { ListQuery } from '../http/lists/list-query.ts'
import type { Route } from '../http/operation.ts'
import type { Permission } from '../http/permission.ts'
import type { Stored } from '../store/entity.ts'
import type { Kind } from './kind.ts'
import { fieldTests, listed, type ResourceList, type Selection } from './listed.ts'
import {
  changeRecord,
  domainOf,
  findRecord,
  getRecord,
  newCommonFields,
  presented,
  removeRecord,
  stageNew,
} from './records.ts'
import { routesOf } from './routes.ts'

type Awaitable<V> = V | Promise<V>

/** A list's selection in addition to the fields of its rows. */
export interface Narrowed<T, R> extends Pick<
  Selection<T, R>,
  'extraItems' | 'filters' | 'ids' | 'order' | 'narrowBy' | 'patterns'
> {
  /** the sets that contain the records; default `all` */
  readonly served?: Selection<T, R>['served']
  /** parameters of the query that the sets or tests evaluate */
  readonly answered?: readonly string[]
  readonly tests?: readonly (((row: R, id: string) => boolean) | undefined)[]
}

/** The kind of a call, for `admit`. */
export type Does = 'read' | 'create' | 'update' | 'remove'

/** A resource: a kind of records, its calls and their rules. Calls whose query or body is absent do not exist. */
interface Declaration<
  T extends object,
  R extends object,
  A extends z.ZodType,
  Q extends z.ZodType<ListQuery>,
  C extends z.ZodType,
  U extends z.ZodType,
  D extends z.ZodType,
> extends Kind<T, R, z.input<A>> {
  /** as in the summary "Create Key Policy" */
  readonly title: string
  /** as in the summary "List Key Policies"; default with an s */
  readonly titles?: string
  /** address of the list */
  readonly at: string
  /** the parameter of a record's path below it; default its id */
  readonly path?: z.ZodObject
  readonly reads: Permission
  readonly changes: Permission
  /** schema of a record in answers */
  readonly answers: A
  readonly query?: Q
  readonly createBody?: C
  readonly updateBody?: U
  /** query of a removal */
  readonly removeQuery?: D
  /** No call removes records. */
  readonly stays?: true
  /** Refuses further callers, in addition to the permission, before anything is read. */
  readonly admit?: (context: Context, does: Does, reference?: string) => Awaitable<void>
  /**
   * Parameters of a list that are patterns; default `name`. Any other parameter must equal the row's field of the same
   * name.
   */
  readonly patterns?: readonly string[]
  readonly narrow?: (context: Context, query: z.output<Q>) => Awaitable<Narrowed<T, R>>
  /** A new record; default: its body and the common fields. */
  readonly make?: (context: Context, body: z.output<C>, common: CommonFields) => Awaitable<T>
  /** A changed record; default: the fields of the body replace its own, and `null` clears a field. */
  readonly next?: (context: Context, record: T, body: z.output<U>) => Awaitable<T>
  /** A single record in answers, if lists and changes return less. */
  readonly presentAlone?: (record: T, context: Context) => Awaitable<z.input<A>>
  /** Refuses or completes a record before it is saved. */
  readonly check?: (context: Context, record: T, before: T | undefined) => Awaitable<T>
  /** Refuses a removal, or stages further changes with it. */
  readonly release?: (context: Context, record: T, query: z.output<D>) => Awaitable<void>
}

function verbsOf<
  T extends object,
  R extends object,
  A extends z.ZodType,
  Q extends z.ZodType<ListQuery>,
  C extends z.ZodType,
  U extends z.ZodType,
  D extends z.ZodType,
>(declared: Declaration<T, R, A, Q, C, U, D>) {
  type Shown = z.input<A>
  const { entity, admit, make, next, check, release, presentAlone, narrow, patterns = ['name'] } = declared
  const checked = (context: Context, record: T, before: T | undefined): Awaitable<T> =>
    check ? check(context, record, before) : record

  return {
    list: async (context: Context, query: z.output<Q>): Promise<ResourceList<Shown>> => {
      await admit?.(context, 'read')
      const { served = 'all', answered = [], tests = [], ...narrowed } = (await narrow?.(context, query)) ?? {}
      const all = [...fieldTests(query, [...patterns, ...answered]), ...tests].filter((test) => test !== undefined)
      const like = Object.fromEntries(Object.entries(query).filter(([name]) => patterns.includes(name)))
      return listed(entity, domainOf(declared, context), query, {
        served,
        ...narrowed,
        patterns: { ...like, ...narrowed.patterns },
        matches: (row, id) => all.every((test) => test(row, id)),
        matchesNarrows: all.length > 0,
        presentAll: (page) => presented(declared, context, page),
      })
    },

    create: async (context: Context, body: z.output<C>): Promise<Stored<Shown>> => {
      await admit?.(context, 'create')
      // the id is the same when the request runs again, so that work done once may contain it
      const id = await context.once(`id of ${declared.noun}`, () => Promise.resolve(uuid(context.now)))
      const common = newCommonFields(declared, context, id)
      // without `make`, the body has all fields of the record except the common ones
      const made = make ? await make(context, body, common) : ({ ...fieldsOf(body), ...common } as T)
      return stageNew(declared, context, await checked(context, made, undefined))
    },

    get: async (context: Context, reference: string): Promise<Stored<Shown>> => {
      await admit?.(context, 'read', reference)
      if (!presentAlone) return getRecord(declared, context, reference)
      const { item, rev } = await findRecord(declared, context, reference)
      return { item: await presentAlone(item, context), rev }
    },

    update: async (context: Context, reference: string, body: z.output<U>): Promise<Stored<Shown>> => {
      await admit?.(context, 'update', reference)
      return changeRecord(declared, context, reference, async (record) =>
        checked(context, next ? await next(context, record, body) : patched(record, body as Partial<T>), record),
      )
    },

    remove: async (context: Context, reference: string, query: z.output<D>): Promise<void> => {
      await admit?.(context, 'remove', reference)
      await removeRecord(declared, context, reference, (record) => release?.(context, record, query))
    },
  }
}

const IdPath = z.strictObject({ id: Uuid })

/** A resource: its operations, its routes, and further calls on its records (`on`). */
export function resource<
  T extends object,
  R extends object,
  A extends z.ZodType,
  Q extends z.ZodType<ListQuery> = z.ZodType<ListQuery>,
  C extends z.ZodType = z.ZodType,
  U extends z.ZodType = z.ZodType,
  D extends z.ZodType = z.ZodUndefined,
>(declared: Declaration<T, R, A, Q, C, U, D>) {
  const { title, titles = `${title}s`, at, path = IdPath, answers, reads, changes } = declared
  const { query, createBody, updateBody, removeQuery, stays } = declared
  const verbs = verbsOf(declared)
  const [parameter = 'id'] = Object.keys(path.shape)
  const idsOf = (named: Readonly<Record<string, unknown>>): readonly [string] => [String(named[parameter])]
  const on = routesOf({ at, one: `${at}/{${parameter}}`, path, idsOf, answers, reads, changes })
  const routes: readonly Route[] = [
    ...(query ? [on.list(`List ${titles}`, query, verbs.list)] : []),
    ...(createBody ? [on.create(`Create ${title}`, createBody, verbs.create)] : []),
    on.get(`Get ${title}`, verbs.get),
    ...(updateBody ? [on.update(`Update ${title}`, updateBody, verbs.update)] : []),
    ...(stays ? [] : [on.remove(`Delete ${title}`, verbs.remove, { query: removeQuery })]),
  ]
  return { ...declared, ...verbs, on, routes }
}
