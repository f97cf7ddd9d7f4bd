import type { Context } from '../../http/context.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { walk } from '../../store/list.ts'
import { isKeyAdmin, mayRead } from '../keys/policies/access.ts'
import { loadedKeyUsers } from '../keys/lifecycle/key-users.ts'
import { localKeys } from '../keys/store.ts'
import type { StoredVirtualKey } from './store.ts'

/** Administrators, and callers who may see hosted keys in any container, see all virtual keys. */
async function seesAll({ caller }: Pick<Context, 'caller'>): Promise<boolean> {
  if (isKeymgrAdmin(caller) || isKeyAdmin(caller)) return true
  const users = await loadedKeyUsers()
  const views = await Promise.all(users.map(async ({ maySeeHosted }) => (await maySeeHosted?.(caller)) === true))
  return views.includes(true)
}

/** Ours: otherwise a caller sees a virtual key if they may read its source key. */
export async function maySee(
  context: Pick<Context, 'caller'>,
  { source_key_id }: Pick<StoredVirtualKey, 'source_key_id'>,
): Promise<boolean> {
  if (await seesAll(context)) return true
  const source = await localKeys.get(context.caller.domain.id, source_key_id)
  return source !== undefined && mayRead(context.caller, source.item)
}

/** Names of the virtual keys that a caller may see; `undefined` for all. */
export async function visibleNames(context: Pick<Context, 'caller'>): Promise<ReadonlySet<string> | undefined> {
  if (await seesAll(context)) return undefined
  const names = new Set<string>()
  await walk(localKeys, context.caller.domain.id, {
    ...{ sets: ['latest'], skip: 0, limit: 0, narrowBy: 'id' },
    matches: (row) => {
      if (mayRead(context.caller, row)) names.add(row.name)
      return false
    },
  })
  return names
}
