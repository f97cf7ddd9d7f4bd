import type { Context } from '../../http/context.ts'
import { isKeymgrAdmin, isPermitted } from '../../http/permission.ts'
import type { Entity } from '../../store/entity.ts'
import { rowsOf, WALK_ROWS } from '../../store/list.ts'
import { noLives, type KeyTotals, type Life } from '../../vault/keys/lists/totals.ts'
import type { Acl } from '../containers/acl-model.ts'
import { may } from '../containers/acl.ts'
import { containersPermitting } from '../containers/permitting.ts'

/** The cloud-specific part of the totals of its keys. */
interface Counted<C, CR, K, R> {
  readonly place: string
  readonly keys: Entity<K, R>
  readonly containers: Entity<C, CR>
  /** the set of a container's keys */
  readonly setOf: (containerId: string) => string
  readonly containerIdOf: (row: R) => string
  /** every action that lets a caller see keys, and the one for a key */
  readonly views: readonly [string, ...string[]]
  readonly viewOf?: (row: R) => string
  /** `undefined`: it is not counted, for example a former version */
  readonly lifeOf: (row: R) => Life | undefined
}

/** The keys that the caller may see: sets of rows, and a test of each row. */
async function visibleOf<C extends { readonly id: string; readonly acls: readonly Acl[] }, CR, K, R>(
  { containers, setOf, containerIdOf, views, viewOf }: Counted<C, CR & { readonly acls: readonly Acl[] }, K, R>,
  { caller }: Context,
): Promise<{ readonly sets: readonly string[]; readonly isSeen: (row: R) => boolean }> {
  if (isKeymgrAdmin(caller)) return { sets: ['all'], isSeen: () => true }
  const permitting = await containersPermitting(containers, caller, views, 'permissions')
  const byId = new Map(permitting.map((container) => [container.id, container]))
  return {
    sets: permitting.map(({ id }) => setOf(id)),
    isSeen: (row) => {
      const container = byId.get(containerIdOf(row))
      return container !== undefined && may(caller, container, viewOf?.(row) ?? views[0])
    },
  }
}

/**
 * The totals of a cloud's keys, from their list rows. Ours: counting stops at the maximum number of rows of a list, and
 * the answer reports that.
 */
export const cloudKeyTotals = <
  C extends { readonly id: string; readonly acls: readonly Acl[] },
  CR extends { readonly acls: readonly Acl[] },
  K,
  R extends { readonly gone: boolean },
>(
  counted: Counted<C, CR, K, R>,
): KeyTotals => ({
  count: async (context) => {
    if (!isPermitted('keymgr-users', context.caller)) return undefined
    const { place, keys, lifeOf } = counted
    const { sets, isSeen } = await visibleOf(counted, context)
    const lives = noLives()
    let [total, seen] = [0, 0]
    for (const set of sets)
      for await (const page of rowsOf(keys, context.caller.domain.id, set)) {
        seen += page.length
        if (seen > WALK_ROWS) return { place, total, lives, complete: false }
        for (const { row } of page) {
          const life = isSeen(row) ? lifeOf(row) : undefined
          if (life === undefined) continue
          total += 1
          lives[row.gone ? 'gone' : life] += 1
        }
      }
    return { place, total, lives, complete: true }
  },
})
