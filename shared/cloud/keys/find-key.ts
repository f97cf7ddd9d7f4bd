import { notThere, Refusal, type BrokenField } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { assertMay, may } from '../containers/acl.ts'
import type { KeyKind, KeyTypes } from './kind.ts'

/** A key and the container it lives in. */
export interface Found<T extends KeyTypes> {
  readonly stored: Stored<T['key']>
  readonly container: Stored<T['container']>
}

/** A permission of the container, which may depend on the key. */
export type Permission<Key> = string | ((key: Key) => string)
export const permissionFor = <Key>(permission: Permission<Key>, key: Key): string =>
  typeof permission === 'string' ? permission : permission(key)

/** The noun for a key of this kind in messages. */
export const nounOf = <T extends KeyTypes>({ noun = 'key' }: Pick<KeyKind<T>, 'noun'>): string => noun

/**
 * A key that the caller may see. Two reads.
 * @param field of a body that names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findKey<T extends KeyTypes>(
  kind: KeyKind<T>,
  { caller }: Pick<Context, 'caller'>,
  id: string,
  field?: BrokenField,
): Promise<Found<T>> {
  const domain = caller.domain.id
  const stored = await kind.entity.get(domain, id)
  const container = stored && (await kind.containers.entity.get(domain, kind.containerIdOf(stored.item)))
  if (stored === undefined || container === undefined || !may(caller, container.item, kind.viewOf(stored.item)))
    throw notThere(`There is no such ${kind.service} ${nounOf(kind)}.`, field)
  return { stored, container }
}

/**
 * A key on which the caller may perform `action`, even in an archived container. The audit record then names the key,
 * even if the action is refused.
 * @throws Refusal NOT_FOUND, ACTION_DENIED
 */
export async function findKeyAnywhere<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
  action: Permission<T['key']>,
  field?: BrokenField,
): Promise<Found<T>> {
  const found = await findKey(kind, context, id, field)
  const { item: key } = found.stored
  nameKey(kind, context, key)
  assertMay(context.caller, found.container.item, permissionFor(action, key))
  return found
}

/** As `findKeyAnywhere`, in an active container. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT */
export async function findKeyFor<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
  action: Permission<T['key']>,
  field?: BrokenField,
): Promise<Found<T>> {
  const found = await findKeyAnywhere(kind, context, id, action, field)
  kind.containers.assertActive?.(found.container.item)
  return found
}

/**
 * The key of a resumed saga; the audit record names it. @throws Refusal NOT_FOUND when its record was deleted meanwhile
 */
export async function keyById<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
): Promise<Stored<T['key']>> {
  const stored = await kind.entity.get(context.caller.domain.id, id)
  if (stored === undefined) throw notThere(`The ${nounOf(kind)} is not on record any more.`)
  nameKey(kind, context, stored.item)
  return stored
}

/** A recorded key. @throws Refusal NOT_FOUND, also for a key that the caller may not see */
export async function getKey<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Pick<Context, 'caller'>,
  id: string,
): Promise<Stored<T['shown']>> {
  const { stored, container } = await findKey(kind, context, id)
  return kind.present(stored, container.item)
}

/** Names a key in the request's audit record, before any action on it. */
export const nameKey = <T extends KeyTypes>(
  { nameOf }: KeyKind<T>,
  { about }: Pick<Context, 'about'>,
  key: T['key'],
): void => about({ uri: key.uri, name: nameOf(key), record: key })

/** Adds the key after the action to the request's audit record. */
export const tellOfKey = <T extends KeyTypes>(
  { nameOf, auditView }: KeyKind<T>,
  { about }: Pick<Context, 'about'>,
  after: T['key'],
  before?: T['key'],
): void =>
  about({
    uri: after.uri,
    name: nameOf(after),
    ...(before && { before: auditView(before), record: before }),
    after: auditView(after),
  })

export const noLongerThere = (): Refusal => new Refusal('STATE_CONFLICT', 'The cloud no longer has this key.')
