import { assertIfMatch } from '../../../resource/if-match.ts'
import { Refusal } from '../../../base/errors.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Route } from '../../../http/operation.ts'
import type { Stored } from '../../../store/entity.ts'
import type { itemActions } from './item-actions.ts'
import type { ItemKind, ItemTypes } from './item.ts'

type Acting<T extends ItemTypes> = (
  tail: string,
  summary: string,
  verb: (context: Context, id: string) => Promise<Stored<T['shown']>>,
) => Route

/** The actions that keys, secrets and certificates have alike. Each concerns every version of a name. */
export const itemRoutes = <T extends ItemTypes>(
  on: { readonly act: Acting<T> },
  noun: string,
  { act }: ReturnType<typeof itemActions<T>>,
): readonly Route[] => [
  on.act('soft-delete', `Delete Cloud-b ${noun}`, (context, id) => act(context, 'soft-delete', id, {})),
  on.act('hard-delete', `Purge Cloud-b ${noun}`, (context, id) => act(context, 'hard-delete', id, {})),
  on.act('recover', `Recover Cloud-b ${noun}`, (context, id) => act(context, 'recover', id, {})),
  on.act('refresh', `Refresh Cloud-b ${noun}`, (context, id) => act(context, 'refresh', id, {})),
]

/**
 * The record of a version goes; the cloud is not asked, because it does not have it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for one that the cloud has, or that has backups
 */
export const removingRecord =
  <T extends ItemTypes>(kind: ItemKind<T>) =>
  async (context: Context, id: string): Promise<void> => {
    const { noun } = kind
    const found = await findKeyFor(kind, context, id, `${noun}delete`)
    assertIfMatch(context, found.stored)
    const { gone, status, backup } = found.stored.item
    if (!gone && status !== 'DELETED')
      throw new Refusal('STATE_CONFLICT', `The cloud still has this ${noun}: delete it there first, for good.`)
    // They are reached by the records of their name, and this one is of its latest version.
    if (backup !== undefined)
      throw new Refusal('STATE_CONFLICT', `Backups of this ${noun} are stored: delete them first.`)
    removeKey(kind, context, found)
  }
