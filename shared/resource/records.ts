import { nameTaken, Refusal } from '../base/errors.ts'
import { differences } from '../base/fields.ts'
import { asFound, type Context } from '../http/context.ts'
import { assertIfMatch } from './if-match.ts'
import type { Stored } from '../store/entity.ts'
import type { ManagedKind, ManagedRecord } from './kinds.ts'

/** A record of the caller's domain. One read. @throws Refusal NOT_FOUND */
export async function findRecord<T extends ManagedRecord, R, S>(
  { entity, noun }: ManagedKind<T, R, S>,
  { caller }: Pick<Context, 'caller'>,
  id: string,
): Promise<Stored<T>> {
  const stored = await entity.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', `There is no such ${noun}.`)
  return stored
}

/** A record as shown. @throws Refusal NOT_FOUND */
export const getRecord = async <T extends ManagedRecord, R, S>(
  kind: ManagedKind<T, R, S>,
  context: Context,
  id: string,
): Promise<Stored<S>> => kind.present(await findRecord(kind, context, id))

/** A record of the caller's domain, to be changed. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function findToChange<T extends ManagedRecord, R, S>(
  kind: ManagedKind<T, R, S>,
  context: Context,
  id: string,
): Promise<Stored<T>> {
  const stored = await findRecord(kind, context, id)
  assertIfMatch(context, stored)
  return stored
}

/** Names the record and its changed fields in the request's audit record. */
export function tellOf<T extends ManagedRecord, R, S>(
  { audited }: ManagedKind<T, R, S>,
  { about }: Pick<Context, 'about'>,
  before: T | undefined,
  after: T | undefined,
): void {
  const { uri = '', name = '' } = after ?? before ?? {}
  const [was, is] = [before, after].map((record) => (record === undefined ? {} : audited(record)))
  about({
    uri,
    name,
    ...differences<Record<string, unknown>>({ ...was }, { ...is }, Object.keys({ ...was, ...is })),
    ...asFound(before ?? {}),
  })
}

/** @param what name of the unique value that another record has */
const taken =
  ({ noun, pointers }: { readonly noun: string; readonly pointers: Readonly<Record<string, string>> }) =>
  (what: string, value: string): Refusal => {
    const { [what]: pointer } = pointers
    if (pointer === undefined) return nameTaken(noun, value)
    return new Refusal('NAME_TAKEN', `${value} has another ${noun} already.`, {
      errors: [{ pointer, detail: `has another ${noun}` }],
    })
  }

/** Asked before work that takes long, such as making a key. @throws Refusal NAME_TAKEN */
export async function assertNameFree<T extends ManagedRecord, R, S>(
  kind: ManagedKind<T, R, S>,
  { caller }: Pick<Context, 'caller'>,
  name: string,
): Promise<void> {
  if ((await kind.entity.holder(caller.domain.id, 'name', name)) !== undefined) throw nameTaken(kind.noun, name)
}

/** Stages a new record. A unique value that another one has is refused with the write (NAME_TAKEN). */
export function stageNew<T extends ManagedRecord, R, S>(
  kind: ManagedKind<T, R, S>,
  context: Context,
  record: T,
): Stored<S> {
  context.changes.create(kind.entity, context.caller.domain.id, record, taken(kind))
  tellOf(kind, context, undefined, record)
  return kind.present({ item: record, rev: 1 })
}

/**
 * Stages a changed record.
 * @param next may refuse the change
 * @throws Refusal NOT_FOUND, VERSION_STALE, and those of `next`
 */
export async function changeRecord<T extends ManagedRecord, R, S>(
  kind: ManagedKind<T, R, S>,
  context: Context,
  id: string,
  next: (record: T) => T | Promise<T>,
): Promise<Stored<S>> {
  const stored = await findToChange(kind, context, id)
  const record = { ...(await next(stored.item)), updatedAt: context.now.toISOString() }
  context.changes.update(kind.entity, context.caller.domain.id, stored, record, taken(kind))
  tellOf(kind, context, stored.item, record)
  return kind.present({ item: record, rev: stored.rev + 1 })
}

/**
 * Stages that a record goes.
 * @param assertFree refuses to remove it
 * @returns the record
 * @throws Refusal NOT_FOUND, VERSION_STALE, and those of `assertFree`
 */
export async function removeRecord<T extends ManagedRecord, R, S>(
  kind: ManagedKind<T, R, S>,
  context: Context,
  id: string,
  assertFree?: (record: T) => Promise<void>,
): Promise<T> {
  const stored = await findToChange(kind, context, id)
  await assertFree?.(stored.item)
  context.changes.remove(kind.entity, context.caller.domain.id, stored)
  tellOf(kind, context, stored.item, undefined)
  return stored.item
}
