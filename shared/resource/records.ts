import { nameTaken, notThere, Refusal, type BrokenField } from '../base/errors.ts'
import { differences } from '../base/fields.ts'
import { commonFields, uuid, type CommonFields } from '../base/ids.ts'
import { Uuid } from '../http/common-fields.ts'
import type { Context } from '../http/context.ts'
import { assertIfMatch } from './if-match.ts'
import type { Entity, Stored } from '../store/entity.ts'
import type { Kind, Reader } from './kind.ts'

/** Names the record and its changes for the request's audit record. */
type Teller = Pick<Context, 'about' | 'afterCommit' | 'caller'>

export const domainOf = ({ domain }: { readonly domain?: string }, { caller }: Pick<Context, 'caller'>): string =>
  domain ?? caller.domain.id

/** Finds a record. @param field of a body that names it @throws Refusal NOT_FOUND */
export async function findRecord<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  reader: Reader,
  reference: string,
  field?: BrokenField,
): Promise<Stored<T>> {
  const { entity, noun, find } = kind
  const stored = find ? await find(reader, reference) : await entity.get(domainOf(kind, reader), reference)
  if (stored === undefined) throw notThere(`There is no such ${noun}.`, field)
  return stored
}

/** Finds records of the caller's domain by an id or a name in a path. */
export const namedOrId =
  <T extends object, R extends object>(entity: Entity<T, R>) =>
  async ({ caller }: Reader, reference: string): Promise<Stored<T> | undefined> => {
    const domain = caller.domain.id
    const byId = Uuid.safeParse(reference).success ? await entity.get(domain, reference) : undefined
    return byId ?? entity.find(domain, 'name', reference)
  }

/** Records in the form of answers, in the same order. */
export async function presented<T extends object, R extends object, S>(
  { present, presentAll }: Kind<T, R, S>,
  reader: Reader,
  page: readonly Stored<T>[],
): Promise<S[]> {
  const records = page.map(({ item }) => item)
  if (presentAll !== undefined) return [...(await presentAll(records, reader))]
  return records.map((record) => (present === undefined ? (record as unknown as S) : present(record, reader)))
}

export async function shown<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  reader: Reader,
  stored: Stored<T>,
): Promise<Stored<S>> {
  const [one] = await presented(kind, reader, [stored])
  if (one === undefined) throw new Error(`A ${kind.noun} is shown as nothing`)
  return { item: one, rev: stored.rev }
}

/** A record in the form of answers. @throws Refusal NOT_FOUND */
export async function getRecord<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Context,
  reference: string,
): Promise<Stored<S>> {
  return shown(kind, context, await findRecord(kind, context, reference))
}

/** Finds a record for a change. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function findToChange<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Context,
  reference: string,
): Promise<Stored<T>> {
  const stored = await findRecord(kind, context, reference)
  assertIfMatch(context, stored)
  return stored
}

/** The fields of a record in its audit records. */
function viewOf<T extends object, R extends object, S>({ audited }: Kind<T, R, S>, record: T): Record<string, unknown> {
  if (typeof audited === 'function') return { ...audited(record) }
  return Object.fromEntries(audited.map((field) => [field, record[field]]))
}

/** The statement of an audit record on an encrypted field. */
function resealed<T extends object, R extends object, S>(
  { sealed }: Kind<T, R, S>,
  before: T | undefined,
  after: T | undefined,
): Record<string, string> {
  if (sealed === undefined || after === undefined || before?.[sealed.field] === after[sealed.field]) return {}
  return { [sealed.as]: 'changed' }
}

const ownName = (record: object): string => ('name' in record ? String(record.name) : '')

/** Names the record, and its changed fields before and after, for the request's audit record. */
export function tell<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  { about, afterCommit, caller }: Teller,
  before: T | undefined,
  after: T | undefined,
): void {
  const { entity, uri, nameOf = ownName, changed } = kind
  const record = after ?? before
  if (record === undefined) return
  const domain = domainOf(kind, { caller })
  const [was, is] = [before, after].map((state) => (state === undefined ? {} : viewOf(kind, state)))
  const changes = differences({ ...was }, { ...is }, Object.keys({ ...was, ...is }))
  about({
    uri: uri(domain, entity.id(record)),
    name: nameOf(record),
    before: changes.before,
    after: { ...changes.after, ...resealed(kind, before, after) },
    ...(before && { record: before }),
  })
  if (changed) afterCommit(() => Promise.resolve(changed(domain)))
}

/** @param what kind of the unique value that another record has */
const takenBy =
  <T extends object, R extends object, S>({ noun, pointers = {}, taken }: Kind<T, R, S>) =>
  (what: string, value: string): Refusal => {
    const { [what]: pointer } = pointers
    if (taken) return taken(value)
    if (what === 'name' || pointer === undefined) return nameTaken(noun, value, pointer)
    return new Refusal('NAME_TAKEN', `${value} has another ${noun} already.`, {
      errors: [{ pointer, detail: `has another ${noun}` }],
    })
  }

/** Checks a name before work that takes long, such as creating a key. @throws Refusal NAME_TAKEN */
export async function assertNameFree<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Pick<Context, 'caller'>,
  name: string,
): Promise<void> {
  if ((await kind.entity.holder(domainOf(kind, context), 'name', name)) !== undefined) throw takenBy(kind)('name', name)
}

/** The common fields of every resource, for a new record. */
export function newCommonFields<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  reader: Reader,
  id = uuid(reader.now),
): CommonFields {
  const domain = domainOf(kind, reader)
  return commonFields(domain, id, kind.uri(domain, id), reader.now)
}

/** Stages a new record. The write refuses a unique value that another record has (NAME_TAKEN). */
export async function stageNew<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Context,
  record: T,
): Promise<Stored<S>> {
  context.changes.create(kind.entity, domainOf(kind, context), record, takenBy(kind))
  tell(kind, context, undefined, record)
  return shown(kind, context, { item: record, rev: 1 })
}

/** Stages the next state of a record. For a record that is not stored yet, this creates it. */
export async function stageNext<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Context,
  before: Stored<T>,
  next: T,
): Promise<Stored<S>> {
  const { entity, touched = 'updatedAt' } = kind
  const { changes, now } = context
  const domain = domainOf(kind, context)
  const record = { ...next, [touched]: now.toISOString() }
  if (before.rev === 0) changes.create(entity, domain, record, takenBy(kind))
  else changes.update(entity, domain, before, record, takenBy(kind))
  tell(kind, context, before.item, record)
  return shown(kind, context, { item: record, rev: before.rev + 1 })
}

/**
 * Stages a changed record.
 * @param next may refuse the change
 * @throws Refusal NOT_FOUND, VERSION_STALE, and those of `next`
 */
export async function changeRecord<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Context,
  reference: string,
  next: (record: T) => T | Promise<T>,
): Promise<Stored<S>> {
  const stored = await findToChange(kind, context, reference)
  return stageNext(kind, context, stored, await next(stored.item))
}

/**
 * Stages the removal of a record.
 * @param assertFree may refuse the removal
 * @returns the record
 * @throws Refusal NOT_FOUND, VERSION_STALE, and those of `assertFree`
 */
export async function removeRecord<T extends object, R extends object, S>(
  kind: Kind<T, R, S>,
  context: Context,
  reference: string,
  assertFree?: (record: T) => void | Promise<void>,
): Promise<T> {
  const stored = await findToChange(kind, context, reference)
  await assertFree?.(stored.item)
  context.changes.remove(kind.entity, domainOf(kind, context), stored)
  tell(kind, context, stored.item, undefined)
  return stored.item
}
