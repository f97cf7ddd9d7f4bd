import { Refusal } from '../../../base/errors.ts'
import { actionsOn, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import type { Context } from '../../../http/context.ts'
import { crm } from '../adapter.ts'
import { isDatabase } from '../param.ts'
import { assertBackedUp, backupOf, keepBackup } from './backups.ts'
import { secretKind, type SecretTypes } from './kind.ts'
import type { UpdateCrmSecret } from './model.ts'
import { setDestroyed } from './served-key.ts'
import { activeOf, crmSecrets, type StoredCrmSecret } from './store.ts'

type Action<Args extends object = Readonly<Record<string, never>>> = KeyAction<SecretTypes, Args>

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)
const isRemote = ({ crm_param: { source } }: StoredCrmSecret): boolean => source === 'REMOTE'

/** @throws Refusal STATE_CONFLICT for secrets that the cloud keeps to itself */
function assertChangeable({ crm_param: { type } }: StoredCrmSecret): void {
  if (isDatabase(type)) throw conflict(`The cloud does not let secrets of ${type} be destroyed, exported or imported.`)
}

const update: Action<UpdateCrmSecret> = {
  may: 'keyupdate',
  call: async (place, key, { description }) => {
    if (description !== undefined) await crm.describe(place, secretKind.refOf(key), description ?? '')
  },
  then: (key, { name = key.name }) => ({ ...key, name }),
}

/**
 * A cache-only key has no export: activation restores it. A key that the cloud destroyed by itself is still served,
 * until it is destroyed here.
 */
const destroy: Action = {
  may: 'keydestroy',
  check: (key) => {
    assertChangeable(key)
    const { status } = key.crm_param
    if (status === 'DESTROYED' && key.is_served !== true) throw conflict('The tenant secret is destroyed already.')
    if (!isRemote(key) && status !== 'ARCHIVED') throw conflict('Only an archived tenant secret is destroyed.')
  },
  call: async (place, key) => {
    const ref = secretKind.refOf(key)
    const { domain, now } = place
    if (!isRemote(key)) {
      if ((await crm.read(place, ref))?.param.status !== 'DESTROYED')
        await keepBackup(domain, key, await crm.exported(place, ref), now)
      else await backupOf(domain, key) // refuses a secret that was destroyed without us
    }
    await crm.destroy(place, ref)
    if (isRemote(key)) await setDestroyed(domain, key, true, now)
  },
  then: (key) => {
    if (!isRemote(key)) return { ...key, backup: true }
    return { ...key, destruction_noticed: true, ...(key.is_served && { is_served: false }) }
  },
}

const importAgain: Action = {
  may: 'keyimport',
  check: (key) => {
    assertChangeable(key)
    if (isRemote(key)) throw conflict('A cache-only key is activated again, not imported.')
    if (key.crm_param.status !== 'DESTROYED') throw conflict('Only a destroyed tenant secret is imported again.')
    assertBackedUp(key)
  },
  call: async (place, key) => crm.importAgain(place, secretKind.refOf(key), await backupOf(place.domain, key)),
}

/** The active secret of the type, which an activation archives. */
async function formerOf({ caller }: Context, key: StoredCrmSecret): Promise<StoredCrmSecret | undefined> {
  const domain = caller.domain.id
  const ids = await crmSecrets.members(domain, activeOf(key.organization_id, key.crm_param.type))
  return (await crmSecrets.getMany(domain, ids, 'leave out')).map(({ item }) => item).find(({ id }) => id !== key.id)
}

/** The cloud fetches the key during the activation, so it is served before; not any longer when that fails. */
const activate: Action = {
  may: 'keyupdate',
  check: (key) => {
    if (!isRemote(key)) throw conflict('Only a cache-only key is activated.')
    if (key.crm_param.status === 'ACTIVE') throw conflict('The cache-only key is active already.')
  },
  call: async (place, key) => {
    const { domain, now } = place
    await setDestroyed(domain, key, false, now)
    await crm.activate(place, secretKind.refOf(key))
  },
  undone: async ({ caller, now }, key) => {
    if (key.is_served === false) await setDestroyed(caller.domain.id, key, true, now)
  },
  alsoChanges: formerOf,
  then: (key) => (key.is_served === undefined ? key : { ...key, is_served: true }),
}

/** Actions on one tenant secret: a few calls that are safe to repeat. */
export const {
  saga: actingOnSecret,
  act,
  doing,
} = actionsOn(secretKind, 'act-on-crm-secret', { update, destroy, import: importAgain, activate })
