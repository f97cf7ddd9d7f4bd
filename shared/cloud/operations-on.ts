import type * as z from 'zod'
import { Deleted, listOf } from '../http/common-fields.ts'
import type { Context } from '../http/context.ts'
import type { ResourceList } from '../http/listed.ts'
import { createdStored, deleted, ok, okStored, operation, type Operation } from '../http/operation.ts'
import type { Permission } from '../http/permission.ts'
import type { Stored } from '../store/entity.ts'

/** A resource whose records have an id in their path. */
interface Resource<P extends z.ZodType<{ id: string }>, A extends z.ZodType> {
  readonly path: P
  /** schema of a record as shown */
  readonly answers: A
  /** who may read, and who may do anything else */
  readonly reads: Permission
  readonly changes: Permission
}

type Verb<In, Out> = (context: Context, id: string, given: In) => Promise<Out>

/** The operations of a resource, each over one verb: a declaration says what is particular, the rest is the same for all. */
export function operationsOn<P extends z.ZodType<{ id: string }>, A extends z.ZodType>({
  path,
  answers,
  reads,
  changes,
}: Resource<P, A>) {
  type Record = Stored<z.input<A>>
  return {
    /** The records a caller may see. */
    list: <Q extends z.ZodType>(
      summary: string,
      query: Q,
      verb: (context: Context, query: z.output<Q>) => Promise<ResourceList<z.input<A>>>,
    ): Operation =>
      operation({ summary, query, answers: listOf(answers), may: reads }, async ({ query: asked, context }) =>
        ok(await verb(context, asked)),
      ),

    get: (summary: string, verb: Verb<undefined, Record>): Operation =>
      operation({ summary, path, answers, may: reads }, async ({ path: { id }, context }) =>
        okStored(await verb(context, id, undefined)),
      ),

    /** A new record. */
    create: <B extends z.ZodType>(
      summary: string,
      body: B,
      verb: (context: Context, body: z.output<B>) => Promise<Record>,
    ): Operation =>
      operation({ summary, body, answers, status: 201, may: changes }, async ({ body: given, context }) =>
        createdStored(await verb(context, given)),
      ),

    /** Does one thing to a record and answers it as it is then. */
    act: <B extends z.ZodType = z.ZodUndefined>(
      summary: string,
      verb: Verb<z.output<B>, Record>,
      body?: B,
    ): Operation =>
      operation(
        { summary, path, ...(body && { body }), answers, may: changes },
        async ({ path: { id }, body: given, context }) => okStored(await verb(context, id, given)),
      ),

    /** Does one thing to a record, of which a new one comes. */
    succeed: <B extends z.ZodType>(summary: string, body: B, verb: Verb<z.output<B>, Record>): Operation =>
      operation(
        { summary, path, body, answers, status: 201, may: changes },
        async ({ path: { id }, body: given, context }) => createdStored(await verb(context, id, given)),
      ),

    remove: (summary: string, verb: Verb<undefined, void>): Operation =>
      operation({ summary, path, answers: Deleted, may: changes }, async ({ path: { id }, context }) => {
        await verb(context, id, undefined)
        return deleted()
      }),

    /** Something else that is known of a record. */
    tell: <O extends z.ZodType, B extends z.ZodType = z.ZodUndefined>(
      summary: string,
      answer: O,
      verb: Verb<z.output<B>, z.input<O>>,
      body?: B,
    ): Operation =>
      operation(
        { summary, path, ...(body && { body }), answers: answer, may: reads },
        async ({ path: { id }, body: given, context }) => ok(await verb(context, id, given)),
      ),

    /** A list of what belongs to a record. */
    listWithin: <Q extends z.ZodType, O extends z.ZodType>(
      summary: string,
      query: Q,
      answer: O,
      verb: Verb<z.output<Q>, ResourceList<z.input<O>>>,
    ): Operation =>
      operation(
        { summary, path, query, answers: listOf(answer), may: reads },
        async ({ path: { id }, query: asked, context }) => ok(await verb(context, id, asked)),
      ),
  }
}

/** POST that reads what a cloud has now; it stores nothing. */
export const lookUp = <B extends z.ZodType, O extends z.ZodType>(
  summary: string,
  may: Permission,
  body: B,
  answers: O,
  verb: (context: Context, body: z.output<B>) => Promise<z.input<O>>,
): Operation =>
  operation({ summary, body, answers, may, reads: true }, async ({ body: given, context }) =>
    ok(await verb(context, given)),
  )
