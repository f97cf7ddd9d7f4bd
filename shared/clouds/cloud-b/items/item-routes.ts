import { assertIfMatch } from '../../../resource/if-match.ts'
import { Refusal } from '../../../base/errors.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import { ending } from '../../../http/danger.ts'
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

/** The routes of actions common to keys, secrets and certificates. Each concerns every version of a name. */
export const itemRoutes = <T extends ItemTypes>(
  on: { readonly act: Acting<T> },
  noun: string,
  { act }: ReturnType<typeof itemActions<T>>,
): readonly Route[] => [
  ending(
    'After the retention of its vault it cannot be recovered; until then nobody can use it.',
    on.act('soft-delete', `Delete Cloud-b ${noun}`, (context, id) => act(context, 'soft-delete', id, {})),
  ),
  on.act('hard-delete', `Purge Cloud-b ${noun}`, (context, id) => act(context, 'hard-delete', id, {})),
  on.act('recover', `Recover Cloud-b ${noun}`, (context, id) => act(context, 'recover', id, {})),
  on.act('refresh', `Refresh Cloud-b ${noun}`, (context, id) => act(context, 'refresh', id, {})),
]

/**
 * Deletes the record of a version without calling the cloud, which does not have it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a version that the cloud has, or with
 * backups
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
    // Backups are found through the record of their name's latest version, which is this one.
    if (backup !== undefined)
      throw new Refusal('STATE_CONFLICT', `Backups of this ${noun} are stored: delete them first.`)
    removeKey(kind, context, found)
  }
