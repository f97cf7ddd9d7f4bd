import * as z from 'zod'
import { Deleted, listOf, Uuid } from '../http/common-fields.ts'
import type { Context } from '../http/context.ts'
import type { ResourceList } from './listed.ts'
import {
  accepted,
  createdStored,
  deleted,
  ok,
  okStored,
  operation,
  route,
  type Declaration,
  type Method,
  type Reply,
  type Route,
} from '../http/operation.ts'
import type { Permission } from '../http/permission.ts'
import type { Stored } from '../store/entity.ts'

/** A resource whose records have the same form in lists and in other answers. */
interface Resource<A extends z.ZodType> {
  /** address of the list */
  readonly at: string
  /** schema of a record in answers */
  readonly answers: A
  /** permission to read, and permission for all other calls */
  readonly reads: Permission
  readonly changes: Permission
}

/** How the records of a resource are addressed, and the ids that its operations receive. */
interface Addressed<P extends z.ZodType, Ids extends readonly string[]> {
  /** address of one record */
  readonly one: string
  readonly path: P
  readonly idsOf: (path: z.output<P>) => Ids
}

type Verb<Ids extends readonly string[], In, Out> = (context: Context, ...args: [...Ids, In]) => Promise<Out>
type Declared = Omit<Declaration<z.ZodType, z.ZodType, z.ZodType>, 'path'>
type Call<Ids extends readonly string[]> = <In, Out>(
  method: Method,
  tail: string,
  declaration: Declared,
  verb: Verb<Ids, In, Out>,
  reply: (out: Out) => Reply,
) => Route

/** Calls on one record: an operation receives its ids, and the query or body if there is one. */
const callsOn =
  <P extends z.ZodType, Ids extends readonly string[]>({ one, path, idsOf }: Addressed<P, Ids>): Call<Ids> =>
  (method, tail, declaration, verb, reply) =>
    route(
      method,
      tail === '' ? one : `${one}/${tail}`,
      operation({ ...declaration, path }, async ({ path: named, query, body, context }) => {
        const given = (declaration.query === undefined ? body : query) as never // parsed by the operation's schema
        return reply(await verb(context, ...idsOf(named), given))
      }),
    )

const bodyOf = (body?: z.ZodType): { body?: z.ZodType } => (body === undefined ? {} : { body })

/** The list, and new records. */
const collectionRoutes = <A extends z.ZodType>({ at, answers, reads, changes }: Resource<A>) => ({
  /** Lists the records that a caller may see. */
  list: <Q extends z.ZodType>(
    summary: string,
    query: Q,
    verb: (context: Context, query: z.output<Q>) => Promise<ResourceList<z.input<A>>>,
  ): Route =>
    route(
      'GET',
      at,
      operation({ summary, query, answers: listOf(answers), may: reads }, async ({ query: asked, context }) =>
        ok(await verb(context, asked)),
      ),
    ),
  /** Creates a record. @param path if it is not the list's address */
  create: <B extends z.ZodType>(
    summary: string,
    body: B,
    verb: (context: Context, body: z.output<B>) => Promise<Stored<z.input<A>>>,
    path = at,
  ): Route =>
    route(
      'POST',
      path,
      operation({ summary, body, answers, status: 201, may: changes }, async ({ body: given, context }) =>
        createdStored(await verb(context, given)),
      ),
    ),
})

/** Changes of one record; the answer is the changed record. */
const changeRoutes = <A extends z.ZodType, Ids extends readonly string[]>(
  { answers, changes: may }: Resource<A>,
  call: Call<Ids>,
) => {
  type Shown = Stored<z.input<A>>
  return {
    update: <B extends z.ZodType>(summary: string, body: B, verb: Verb<Ids, z.output<B>, Shown>): Route =>
      call('PATCH', '', { summary, body, answers, may }, verb, okStored),
    act: <B extends z.ZodType = z.ZodUndefined>(
      tail: string,
      summary: string,
      verb: Verb<Ids, z.output<B>, Shown>,
      body?: B,
    ): Route => call('POST', tail, { summary, ...bodyOf(body), answers, may }, verb, okStored),
    /** Starts work for which the cloud needs time (202). */
    begin: <B extends z.ZodType = z.ZodUndefined>(
      tail: string,
      summary: string,
      verb: Verb<Ids, z.output<B>, Shown>,
      body?: B,
    ): Route =>
      call('POST', tail, { summary, ...bodyOf(body), answers, status: 202, may }, verb, ({ item }) => accepted(item)),
    /** Changes a part of a record that has its own address but the record's ETag. @param takes see `Declaration` */
    changePart: <B extends z.ZodType, O extends z.ZodType>(
      [method, tail]: readonly ['PUT' | 'PATCH', string],
      summary: string,
      { body, answers: part, takes }: { readonly body: B; readonly answers: O; readonly takes?: 'text/plain' },
      verb: Verb<Ids, z.output<B>, Stored<z.input<O>>>,
    ): Route => call(method, tail, { summary, body, ...(takes && { takes }), answers: part, may }, verb, okStored),
    /** Removes a record. @param tail of the path, for a POST */
    remove: <Q extends z.ZodType = z.ZodUndefined>(
      summary: string,
      verb: Verb<Ids, z.output<Q>, void>,
      { tail = '', query }: { readonly tail?: string; readonly query?: Q | undefined } = {},
    ): Route =>
      call(
        tail === '' ? 'DELETE' : 'POST',
        tail,
        { summary, ...(query && { query }), answers: Deleted, may },
        verb,
        deleted,
      ),
    /** Acts on a record and creates a new one from it. @param answer of another resource */
    succeed: <B extends z.ZodType, O extends z.ZodType = A>(
      tail: string,
      summary: string,
      body: B,
      verb: Verb<Ids, z.output<B>, Stored<z.input<O>>>,
      answer?: O,
    ): Route =>
      call('POST', tail, { summary, body, answers: answer ?? answers, status: 201, may }, verb, createdStored),
  }
}

/** GET of a part of a record. */
const readRoutes = <A extends z.ZodType, Ids extends readonly string[]>(
  { answers, reads: may }: Resource<A>,
  call: Call<Ids>,
) => ({
  get: (summary: string, verb: Verb<Ids, undefined, Stored<z.input<A>>>): Route =>
    call('GET', '', { summary, answers, may }, verb, okStored),
  /** Reads a part of a record that has its own address but the record's ETag. */
  getPart: <O extends z.ZodType>(
    tail: string,
    summary: string,
    part: O,
    verb: Verb<Ids, undefined, Stored<z.input<O>>>,
  ): Route => call('GET', tail, { summary, answers: part, may }, verb, okStored),
  /** Reads other information about a record. */
  tell: <O extends z.ZodType, B extends z.ZodType = z.ZodUndefined>(
    method: Method,
    tail: string,
    summary: string,
    answer: O,
    verb: Verb<Ids, z.output<B>, z.input<O>>,
    more: Pick<Declared, 'media' | 'reads' | 'once'> & { readonly body?: B } = {},
  ): Route => call(method, tail, { summary, answers: answer, may, ...more }, verb, (told) => ok(told)),
  /** Lists items that belong to a record. */
  listWithin: <Q extends z.ZodType, O extends z.ZodType>(
    tail: string,
    summary: string,
    query: Q,
    answer: O,
    verb: Verb<Ids, z.output<Q>, ResourceList<z.input<O>>>,
  ): Route => call('GET', tail, { summary, query, answers: listOf(answer), may }, verb, (list) => ok(list)),
})

/** The routes of a resource, each for one operation, however its records are addressed. */
export function routesOf<A extends z.ZodType, P extends z.ZodType, Ids extends readonly string[]>(
  resource: Resource<A> & Addressed<P, Ids>,
) {
  const call = callsOn(resource)
  return { ...collectionRoutes(resource), ...readRoutes(resource, call), ...changeRoutes(resource, call) }
}

const IdPath = z.strictObject({ id: Uuid })

/** The routes of a resource whose records are addressed by their ids; a slice only states the differences. */
export const routesOn = <A extends z.ZodType>(resource: Resource<A>) =>
  routesOf({ ...resource, one: `${resource.at}/{id}`, path: IdPath, idsOf: ({ id }): readonly [string] => [id] })

/** POST that reads the present state of a cloud; it stores nothing. */
export const lookUp = <B extends z.ZodType, O extends z.ZodType>(
  path: string,
  summary: string,
  may: Permission,
  body: B,
  answers: O,
  verb: (context: Context, body: z.output<B>) => Promise<z.input<O>>,
): Route =>
  route(
    'POST',
    path,
    operation({ summary, body, answers, may, reads: true }, async ({ body: given, context }) =>
      ok(await verb(context, given)),
    ),
  )
