import { byName } from '../../../base/fields.ts'
import type { Load } from '../../../base/room.ts'
import type { Context } from '../../../http/context.ts'
import { isPermitted } from '../../../http/permission.ts'
import { KEY_STATES } from '../model.ts'
import { listKeys } from './list-keys.ts'

declare module '../../../base/room.ts' {
  interface RoomRow {
    /** Its keys, counted by life. */
    readonly keyTotals?: Load<KeyTotals>
  }
}

/** The lives of a key, in words common to all places. */
export const LIVES = ['not_yet', 'in_use', 'disabled', 'ending', 'ended', 'gone', 'unknown'] as const
export type Life = (typeof LIVES)[number]

/** The keys of one place that a caller may see. */
export interface PlaceTotals {
  readonly place: string
  readonly total: number
  readonly lives: Readonly<Record<Life, number>>
  /** whether every key was counted */
  readonly complete: boolean
}

export interface KeyTotals {
  /** `undefined` for a caller who may not list the keys of the place */
  readonly count: (context: Context) => Promise<PlaceTotals | undefined>
}

export const noLives = (): Record<Life, number> => byName(LIVES, () => 0)

const LIFE_OF: Readonly<Record<(typeof KEY_STATES)[number], Life>> = {
  'Pre-Active': 'not_yet',
  Active: 'in_use',
  Deactivated: 'disabled',
  Compromised: 'ended',
  Destroyed: 'ended',
  'Destroyed Compromised': 'ended',
}

/** Totals of local keys, from the counts of their list. Ours: a key with an end date in the future counts as in use. */
export const localKeyTotals: KeyTotals = {
  count: async (context) => {
    if (!isPermitted('key-users', context.caller)) return undefined
    const lives = noLives()
    const inStates = KEY_STATES.map(async (state) => {
      const { total } = await listKeys(context, { state: [state], skip: 0, limit: 0 })
      lives[LIFE_OF[state]] += total
      return total
    })
    const total = (await Promise.all(inStates)).reduce((sum, count) => sum + count, 0)
    return { place: 'local', total, lives, complete: true }
  },
}
