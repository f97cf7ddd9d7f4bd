import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { containerById } from '../containers/find-container.ts'
import { tellOfKey, type Found } from './find-key.ts'
import type { KeyKind, KeyTypes } from './kind.ts'
import { WHOLE_KEY } from './model.ts'

/** Stages the record after a reading; an unchanged record is not written. @param fresh the key's present record */
export function stageRead<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Pick<Context, 'caller' | 'changes' | 'now' | 'about'>,
  before: Stored<T['key']>,
  fresh: T['key'],
): Stored<T['key']> {
  const isSame = fresh === before.item
  tellOfKey(kind, context, fresh, isSame && kind.showsUnchanged !== true ? undefined : before.item)
  if (isSame) return before
  const after = { ...fresh, updatedAt: context.now.toISOString() }
  context.changes.update(kind.entity, context.caller.domain.id, before, after)
  return { item: after, rev: before.rev + 1 }
}

/**
 * Stages the record updated with the cloud's present description of the key.
 * @param whole `null` when the cloud does not have the key
 * @param then applies further facts to the record
 */
export const recordRead = async <T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  before: Stored<T['key']>,
  whole: T['whole'] | null,
  then: (key: T['key']) => T['key'] = (key) => key,
): Promise<Stored<T['key']>> =>
  stageRead(kind, context, before, then(await kind.refreshed(context, before.item, whole)))

/**
 * The record of a key that could not be read: unchanged except for a mark; the same object if it has the mark already.
 */
export const unreadKey = <K extends KeyTypes['key']>(key: K, now: Date): K =>
  isUnread(key) ? key : { ...key, unread: [WHOLE_KEY], updatedAt: now.toISOString() }

/** Whether the last reading of the key failed. */
export const isUnread = ({ unread }: Pick<KeyTypes['key'], 'unread'>): boolean => unread?.includes(WHOLE_KEY) === true

/** A recorded key as shown. @throws Refusal NOT_FOUND when its container was deleted meanwhile */
export const shownKey = async <T extends KeyTypes>(
  kind: KeyKind<T>,
  { caller }: Pick<Context, 'caller'>,
  stored: Stored<T['key']>,
): Promise<Stored<T['shown']>> =>
  kind.present(stored, (await containerById(kind.containers, caller.domain.id, kind.containerIdOf(stored.item))).item)

/** Stages a change to the record of a found key, for facts that only this service knows. */
export function changeKey<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  { stored, container }: Found<T>,
  change: (key: T['key']) => T['key'],
): Stored<T['shown']> {
  const { caller, changes, now } = context
  const after = { ...change(stored.item), updatedAt: now.toISOString() }
  changes.update(kind.entity, caller.domain.id, stored, after)
  tellOfKey(kind, context, after, stored.item)
  return kind.present({ item: after, rev: stored.rev + 1 }, container.item)
}

/** Stages the removal of a key's record; does not change the cloud. */
export function removeKey<T extends KeyTypes>(kind: KeyKind<T>, context: Context, { stored }: Found<T>): void {
  const { item } = stored
  context.changes.remove(kind.entity, context.caller.domain.id, stored)
  context.about({ uri: item.uri, name: kind.nameOf(item), before: kind.auditView(item), record: item })
}
