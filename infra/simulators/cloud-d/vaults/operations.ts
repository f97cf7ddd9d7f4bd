import { newOcid, newShort } from '../directory/ocids.ts'
import { VAULT_TYPES, type HeldKey, type HeldVault } from '../state/held.ts'
import { begin, cancelDeletion, scheduleDeletion } from '../state/passing-time.ts'
import { requiredText, wordAt } from '../wire/body.ts'
import type { Call, Route } from '../wire/call.ts'
import { resource, type Reply } from '../wire/reply.ts'
import { incorrectState, missing } from '../wire/errors.ts'
import { externalManagerIn } from '../external/vaults.ts'
import { compartmentIn, deletionTimeIn, requireState, vaultInPath } from '../wire/found.ts'
import { listed, orderedBy, requiredQuery } from '../wire/pages.ts'
import { vaultPost, vaultPut, vaultRead } from '../wire/route.ts'
import { retagged, taggedIn } from '../wire/tags.ts'
import { describeVault, describeVaultSummary } from './describe.ts'

const shown = ({ endpoint }: Call, vault: HeldVault): Reply => resource(vault, describeVault(vault, endpoint))

function listVaults(call: Call): Reply {
  const compartmentId = requiredQuery(call, 'compartmentId')
  call.require('inspect', compartmentId)
  const { state, region, endpoint } = call
  const vaults = state.vaults().filter((each) => each.compartmentId === compartmentId && each.region === region)
  const { items, order } = orderedBy(call, vaults)
  return listed(call, items, (vault) => describeVaultSummary(vault, endpoint), order)
}

async function createVault(call: Call): Promise<Reply> {
  const { state, body, region, caller } = call
  const vaultType = wordAt(body, 'vaultType', VAULT_TYPES)
  if (vaultType === undefined) throw missing('vaultType')
  const compartmentId = compartmentIn(call, body)
  const short = newShort()
  const beside = `ocid1.vault.oc1.${region}.${short}.`
  const tagged = taggedIn(call, body)
  const vault: HeldVault = {
    ...{ id: newOcid('vault', beside), short, region, tenancyId: caller.tenancy.id, compartmentId, vaultType },
    ...tagged,
    ...(vaultType === 'EXTERNAL' && { external: await externalManagerIn(call) }),
    createdAt: state.now(),
    wrappingKeyId: newOcid('key', beside),
    state: 'CREATING',
    revision: 0,
  }
  begin(vault, 'CREATING', 'ACTIVE', state.endsAt())
  state.saveVault(vault)
  return shown(call, vault)
}

/** A vault whose state a request changes. */
function vaultToChange(call: Call): HeldVault {
  const vault = vaultInPath(call, 'manage')
  call.requireMatch(vault)
  return vault
}

function updateVault(call: Call): Reply {
  const vault = vaultToChange(call)
  requireState('The vault', vault, 'ACTIVE')
  Object.assign(vault, retagged(call, vault))
  begin(vault, 'UPDATING', 'ACTIVE', call.state.endsAt())
  call.state.saveVault(vault)
  return shown(call, vault)
}

function changeCompartment(call: Call): Reply {
  const vault = vaultToChange(call)
  requireState('The vault', vault, 'ACTIVE')
  requiredText(call.body, 'compartmentId')
  vault.compartmentId = compartmentIn(call, call.body)
  begin(vault, 'UPDATING', 'ACTIVE', call.state.endsAt())
  call.state.saveVault(vault)
  return { headers: shown(call, vault).headers ?? {} }
}

/** Keys that a scheduled deletion of their vault also deletes. */
const remaining = ({ state }: Call, { id }: HeldVault): readonly HeldKey[] =>
  state.keysOf(id).filter((key) => key.state !== 'DELETED')

/** Schedules all keys of the vault with it; keys that were already scheduled keep their own date. */
function schedule(call: Call): Reply {
  const vault = vaultToChange(call)
  requireState('The vault', vault, 'ACTIVE')
  const at = deletionTimeIn(call)
  const { state } = call
  const keys = remaining(call, vault)
  if (keys.some(({ transit }) => transit !== undefined)) throw incorrectState('A key of the vault is being changed.')
  if (keys.some(({ deleteAt = 0 }) => deleteAt > at))
    throw incorrectState('A key of the vault is scheduled for deletion later than the vault.')
  scheduleDeletion(vault, at, state.endsAt())
  for (const key of keys) {
    if (key.deleteAt !== undefined) continue
    key.byVault = true
    scheduleDeletion(key, at, state.endsAt())
  }
  state.saveKeys(keys)
  state.saveVault(vault)
  return shown(call, vault)
}

function cancel(call: Call): Reply {
  const vault = vaultToChange(call)
  requireState('The vault', vault, 'PENDING_DELETION')
  const { state } = call
  cancelDeletion(vault, state.endsAt())
  const keys = remaining(call, vault).filter(({ byVault }) => byVault === true)
  for (const key of keys) {
    key.byVault = undefined
    cancelDeletion(key, state.endsAt())
  }
  state.saveKeys(keys)
  state.saveVault(vault)
  return shown(call, vault)
}

function usage(call: Call): Reply {
  const keys = remaining(call, vaultInPath(call, 'read'))
  const software = keys.filter(({ protectionMode }) => protectionMode === 'SOFTWARE')
  const versionsOf = (some: readonly HeldKey[]) => some.reduce((sum, { versions }) => sum + versions.length, 0)
  return {
    body: {
      keyCount: keys.length - software.length,
      keyVersionCount: versionsOf(keys) - versionsOf(software),
      softwareKeyCount: software.length,
      softwareKeyVersionCount: versionsOf(software),
    },
  }
}

const VAULT = '/vaults/{vaultId}'

export const vaultRoutes: readonly Route[] = [
  vaultRead('ListVaults', '/vaults', listVaults),
  vaultPost('CreateVault', '/vaults', createVault),
  vaultRead('GetVault', VAULT, (call) => shown(call, vaultInPath(call, 'read'))),
  vaultPut('UpdateVault', VAULT, updateVault),
  vaultRead('GetVaultUsage', `${VAULT}/usage`, usage),
  vaultPost('ChangeVaultCompartment', `${VAULT}/actions/changeCompartment`, changeCompartment),
  vaultPost('ScheduleVaultDeletion', `${VAULT}/actions/scheduleDeletion`, schedule),
  vaultPost('CancelVaultDeletion', `${VAULT}/actions/cancelDeletion`, cancel),
]
