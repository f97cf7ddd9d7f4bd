import { asFound, type Context } from '../http/context.ts'
import { nameTaken, notThere, type BrokenField, type Refusal } from '../base/errors.ts'
import { differences, patched } from '../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../base/ids.ts'
import { Uuid, type Resource } from '../http/common-fields.ts'
import { assertIfMatch } from './if-match.ts'
import { anyPatterns, anyTexts, listQuery, type ListQuery } from '../http/list-query.ts'
import { listed, type ResourceList } from './listed.ts'
import type { Entity, Stored } from '../store/entity.ts'
import type * as z from 'zod'

/** A record with a name that is unique in its domain. */
type NamedRecord = z.infer<typeof Resource> & { readonly name: string }
interface NamedRow {
  readonly id: string
  readonly name: string
}

/** One kind of named records that administrators write and verbs of the vault read. */
interface Kind<T extends NamedRecord, R extends NamedRow> {
  readonly entity: Entity<T, R>
  /** as in "There is no such …" */
  readonly noun: string
  /** in its records' uri */
  readonly type: string
  readonly audited: readonly (keyof T & string)[]
  /** Refuses a record that cannot be saved. @returns the record as it is stored */
  readonly check: (context: Context, item: T, before: T | undefined) => Promise<T>
  /** Called once a record of the domain has changed. */
  readonly changed?: (domain: string) => void
}

/** The query of their list. */
export const namedQuery = (resource: z.ZodType) => listQuery(resource, { ...anyPatterns('name'), ...anyTexts('id') })
type NamedQuery = ListQuery & { readonly name?: string[] | undefined; readonly id?: string[] | undefined }

/** The fields of a body that creates a record: all but those that every resource has. */
type Own<T> = Omit<T, keyof z.infer<typeof Resource>>
/** The fields of a body that changes a record; `null` clears. */
type Changed<T> = { readonly [F in keyof T]?: T[F] | null | undefined }

/** The verbs of one kind of named records. */
export function namedRecords<T extends NamedRecord, R extends NamedRow>(kind: Kind<T, R>) {
  const { entity, noun, type, audited, check, changed } = kind
  const taken = (_kind: string, name: string): Refusal => nameTaken(noun, name)

  /** A record by id or name. @param field of a body that names it @throws Refusal NOT_FOUND */
  async function find({ caller }: Pick<Context, 'caller'>, reference: string, field?: BrokenField): Promise<Stored<T>> {
    const domain = caller.domain.id
    const byId = Uuid.safeParse(reference).success ? await entity.get(domain, reference) : undefined
    const found = byId ?? (await entity.find(domain, 'name', reference))
    if (found === undefined) throw notThere(`There is no such ${noun}.`, field)
    return found
  }

  const tell = ({ about, afterCommit, caller }: Context, item: T, before: Partial<T>, after: Partial<T>): void => {
    about({ uri: item.uri, name: item.name, ...differences(before, after, audited), ...asFound(before) })
    if (changed) afterCommit(() => Promise.resolve(changed(caller.domain.id)))
  }

  /** @throws Refusal NAME_TAKEN, RULE_BROKEN */
  async function create(context: Context, body: Own<T>): Promise<Stored<T>> {
    const { caller, changes, now } = context
    const domain = caller.domain.id
    const id = uuid(now)
    const common = commonFields(domain, id, resourceUri(domain, 'vault', type, id), now)
    const given = { ...body, ...common } as unknown as T // its own fields, and those of every resource
    const item = await check(context, given, undefined)
    changes.create(entity, domain, item, taken)
    tell(context, item, {}, item)
    return { item, rev: 1 }
  }

  /** @throws Refusal NOT_FOUND, VERSION_STALE, NAME_TAKEN, RULE_BROKEN */
  async function update(context: Context, id: string, body: Changed<T>): Promise<Stored<T>> {
    const stored = await find(context, id)
    assertIfMatch(context, stored)
    const changed = { ...patched(stored.item, body), updatedAt: context.now.toISOString() }
    const item = await check(context, changed, stored.item)
    context.changes.update(entity, context.caller.domain.id, stored, item, taken)
    tell(context, item, stored.item, item)
    return { item, rev: stored.rev + 1 }
  }

  /** @throws Refusal NOT_FOUND, VERSION_STALE */
  async function remove(context: Context, id: string): Promise<void> {
    const stored = await find(context, id)
    assertIfMatch(context, stored)
    context.changes.remove(entity, context.caller.domain.id, stored)
    tell(context, stored.item, stored.item, {})
  }

  const list = ({ caller }: Context, query: NamedQuery): Promise<ResourceList<T>> =>
    listed(entity, caller.domain.id, query, {
      served: 'all',
      filters: { id: query.id },
      patterns: { name: query.name },
      present: ({ item }) => item,
    })

  return { find, create, update, remove, list, get: find }
}
