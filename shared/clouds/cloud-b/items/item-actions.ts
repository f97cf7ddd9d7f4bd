import { Refusal } from '../../../base/errors.ts'
import { actionsOn, ifAllowed, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudBChange } from '../adapter/types.ts'
import type { ItemKind, ItemTypes, StoredItem } from './item.ts'
import { followItem, unreadOthers } from './one-name.ts'

type Status = StoredItem['status']

/** Refuses an item that is in another state. @throws Refusal STATE_CONFLICT */
export function assertIs({ status }: StoredItem, wanted: Status, noun: string): void {
  if (status !== wanted) throw new Refusal('STATE_CONFLICT', `The ${noun} is ${status}: it must be ${wanted}.`)
}

/** The actions common to keys, secrets and certificates. Deleting, purging and recovering concern every version. */
export function itemActions<T extends ItemTypes>(kind: ItemKind<T>) {
  const { noun, nameOf } = kind
  const then = (item: T['key'], args: object, { caller }: Context): T['key'] => ({
    ...item,
    modified_by: caller.username,
    ...('meta' in args && { meta: args.meta }),
  })
  type Across = NonNullable<KeyAction<T, object>['across']>
  const follow: Across = (context, item) => followItem(kind, context, item)
  /** The change is made, even if the connection may not read its effect. */
  const across: Across = async (context, item) => {
    const following = followItem(kind, context, item).then(() => true)
    if ((await ifAllowed(following)) === undefined) await unreadOthers(kind, context, item)
  }
  const actions = {
    refresh: { ...refreshing, may: `${noun}synchronize`, across: follow },
    edit: {
      may: `${noun}update`,
      check: (item, change) => {
        assertIs(item, 'ACTIVE', noun)
        kind.assertChangeable?.(item, change)
      },
      call: (place, item, change) => kind.cloud.update(place, kind.refOf(item), change),
      // The cloud's times have whole seconds, so its reading and our records may disagree on the latest of several
      // versions. All records of the name follow the reading together.
      across: async (context, item, whole) => {
        if (whole && 'is_latest' in whole && whole.is_latest !== item.is_latest) await across(context, item, whole)
      },
      then,
    } satisfies KeyAction<T, CloudBChange>,
    'soft-delete': {
      may: `${noun}delete`,
      check: (item) => assertIs(item, 'ACTIVE', noun),
      call: (place, item) => kind.cloud.remove(place, nameOf(item)),
      across,
      then,
    } satisfies KeyAction<T, Readonly<Record<string, never>>>,
    'hard-delete': {
      may: `${noun}purge`,
      check: (item, _args, vault) => {
        assertIs(item, 'SOFT-DELETED', noun)
        if (vault.purge_protection)
          throw new Refusal(
            'STATE_CONFLICT',
            `The vault ${vault.name} has purge protection: its cloud removes the ${noun}.`,
          )
      },
      call: (place, item) => kind.cloud.purge(place, nameOf(item)),
      across,
    } satisfies KeyAction<T, Readonly<Record<string, never>>>,
    recover: {
      may: `${noun}recover`,
      check: (item) => assertIs(item, 'SOFT-DELETED', noun),
      call: (place, item) => kind.cloud.recover(place, nameOf(item)),
      across,
      then,
    } satisfies KeyAction<T, Readonly<Record<string, never>>>,
  }
  return actionsOn(kind, `act-on-cloud-b-${noun}`, actions)
}
