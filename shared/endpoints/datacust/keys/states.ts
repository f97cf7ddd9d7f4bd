import { Refusal } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { changeRecord } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { storeOfKey } from './admit.ts'
import { externalKeyKind } from './kind.ts'
import type { DatacustExternalKey } from './model.ts'
import type { StoredExternalKey } from './store.ts'

const conflict = ({ name }: StoredExternalKey, is: string): Refusal =>
  new Refusal('STATE_CONFLICT', `The external key ${name} is ${is}.`)

/** @throws Refusal STATE_CONFLICT for an archived key */
export function assertNotArchived(key: StoredExternalKey): void {
  if (key.state === 'Archived') throw conflict(key, 'archived: recover it first')
}

/** @throws Refusal STATE_CONFLICT for a disabled or archived key */
export function assertEnabled(key: StoredExternalKey): void {
  assertNotArchived(key)
  if (key.state === 'Disabled') throw conflict(key, 'disabled')
}

type Act = (context: Context, id: string) => Promise<Stored<DatacustExternalKey>>

/** Each refuses with NOT_FOUND, ACTION_DENIED and VERSION_STALE, and with STATE_CONFLICT as the move demands. */
const moving =
  (move: (key: StoredExternalKey, now: Date) => StoredExternalKey): Act =>
  async (context, id) => {
    await storeOfKey(context, id, 'keyupdate')
    return changeRecord(externalKeyKind, context, id, (key) => move(key, context.now))
  }

const setState = (state: 'Enabled' | 'Disabled'): Act =>
  moving((key) => {
    assertNotArchived(key)
    if (key.state === state) throw conflict(key, `${state} already`)
    return { ...key, state }
  })

const setBlocked = (blocked: boolean): Act =>
  moving((key) => {
    if (key.blocked === blocked) throw conflict(key, blocked ? 'blocked already' : 'not blocked')
    return { ...key, blocked }
  })

/** Moves of an external key. The platform's next call meets the new state. */
export const moves = {
  enable: setState('Enabled'),
  disable: setState('Disabled'),
  block: setBlocked(true),
  unblock: setBlocked(false),
  /** Archives a key: it serves no call, and can be deleted. The local key stays. */
  archive: moving((key, now) => {
    if (key.state === 'Archived') throw conflict(key, 'archived already')
    return { ...key, state: 'Archived', archived_at: now.toISOString(), archived_from: key.state }
  }),
  /** Restores the state from before the archiving. */
  recover: moving((key) => {
    if (key.state !== 'Archived') throw conflict(key, 'not archived')
    return { ...without(key, 'archived_at', 'archived_from'), state: key.archived_from ?? 'Enabled' }
  }),
}
