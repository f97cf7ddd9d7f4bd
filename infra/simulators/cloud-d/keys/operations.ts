import { newOcid } from '../directory/ocids.ts'
import { PROTECTION_MODES, type HeldKey, type HeldVersion, type ProtectionMode } from '../state/held.ts'
import { begin, cancelDeletion, newVersion, scheduleDeletion } from '../state/passing-time.ts'
import { requiredText, wordAt } from '../wire/body.ts'
import type { Call, Route } from '../wire/call.ts'
import { resource, type Reply } from '../wire/reply.ts'
import { invalid, missing } from '../wire/errors.ts'
import { activeVault, compartmentIn, deletionTimeIn, keyInPath, requireState } from '../wire/found.ts'
import { listed, orderedBy, requiredQuery } from '../wire/pages.ts'
import { keyPost, keyProvision, keyPut, keyRead } from '../wire/route.ts'
import { retagged, taggedIn } from '../wire/tags.ts'
import { autoRotationIn } from './auto-rotation.ts'
import { describeKey, describeKeySummary } from './describe.ts'
import { getWrappingKey, importedIn, requireOwnKeys } from './import.ts'
import { EXTERNAL_SHAPE, referredIn } from '../external/keys.ts'
import { shapeIn } from './shapes.ts'

const shown = (key: HeldKey): Reply => resource(key, describeKey(key))

/** Filters of a list by the members of keys. */
function wanted({ query }: Call): (key: HeldKey) => boolean {
  const filters = [
    ['protectionMode', ({ protectionMode }: HeldKey) => protectionMode],
    ['algorithm', ({ shape }: HeldKey) => shape.algorithm],
    ['length', ({ shape }: HeldKey) => String(shape.length)],
    ['curveId', ({ shape }: HeldKey) => shape.curveId],
  ] as const
  return (key) => filters.every(([name, of]) => [null, of(key)].includes(query.get(name)))
}

function listKeys(call: Call): Reply {
  const compartmentId = requiredQuery(call, 'compartmentId')
  call.require('inspect', compartmentId)
  const isWanted = wanted(call)
  const keys = call.state.keysOf(call.vault().id).filter((key) => key.compartmentId === compartmentId && isWanted(key))
  const { items, order } = orderedBy(call, keys)
  return listed(call, items, describeKeySummary, order)
}

/** @throws ApiError InvalidParameter */
function protectionIn({ body }: Call): ProtectionMode {
  const mode = wordAt(body, 'protectionMode', PROTECTION_MODES) ?? 'HSM'
  if (mode === 'EXTERNAL') throw invalid('protectionMode EXTERNAL is for external vaults.')
  return mode
}

/** Adds a key with its first version. */
function addKey(
  call: Call,
  made: Pick<HeldKey, 'shape' | 'protectionMode' | 'externalKeyId'>,
  version: Pick<HeldVersion, 'origin' | 'bytes' | 'externalVersionId'>,
): Reply {
  const { state, body } = call
  const vault = activeVault(call)
  const endsAt = state.endsAt()
  const key: HeldKey = {
    id: newOcid('key', vault.wrappingKeyId),
    vaultId: vault.id,
    compartmentId: compartmentIn(call, body),
    ...taggedIn(call, body),
    ...made,
    autoRotation: autoRotationIn(call, vault),
    createdAt: state.now(),
    versions: [],
    current: '',
    state: 'CREATING',
    revision: 0,
  }
  begin(key, 'CREATING', 'ENABLED', endsAt)
  const transit = { to: 'ENABLED', endsAt } as const
  key.current = newVersion(key, { ...version, state: 'CREATING', transit, createdAt: state.now() }).id
  state.saveKeys([key])
  return shown(key)
}

function createKey(call: Call): Reply | Promise<Reply> {
  if (activeVault(call).vaultType === 'EXTERNAL') return createExternalKey(call)
  return addKey(call, { shape: shapeIn(call.body), protectionMode: protectionIn(call) }, { origin: 'INTERNAL' })
}

/** Creates a reference to a key at the key manager of the vault. */
async function createExternalKey(call: Call): Promise<Reply> {
  const { algorithm, length } = shapeIn(call.body)
  if (algorithm !== EXTERNAL_SHAPE.algorithm || length !== EXTERNAL_SHAPE.length)
    throw invalid('Keys of external vaults are AES-256.')
  if (wordAt(call.body, 'protectionMode', ['EXTERNAL']) === undefined) throw missing('protectionMode')
  const { keyId: externalKeyId, versionId: externalVersionId } = await referredIn(call)
  const made = { shape: EXTERNAL_SHAPE, protectionMode: 'EXTERNAL', externalKeyId } as const
  return addKey(call, made, { origin: 'EXTERNAL', externalVersionId })
}

async function importKey(call: Call): Promise<Reply> {
  requireOwnKeys(activeVault(call))
  const shape = shapeIn(call.body)
  return addKey(
    call,
    { shape, protectionMode: protectionIn(call) },
    { origin: 'EXTERNAL', bytes: await importedIn(call, shape) },
  )
}

/** A key that a request changes, in a vault whose keys can be changed. */
export function keyToChange(call: Call, level: 'use' | 'manage'): HeldKey {
  const key = keyInPath(call, level)
  activeVault(call)
  call.requireMatch(key)
  return key
}

function updateKey(call: Call): Reply {
  const key = keyToChange(call, 'use')
  requireState('The key', key, 'ENABLED', 'CREATING')
  const autoRotation = autoRotationIn(call, call.vault(), key.autoRotation)
  Object.assign(key, retagged(call, key), { autoRotation })
  if (key.state === 'ENABLED') begin(key, 'UPDATING', 'ENABLED', call.state.endsAt())
  else key.revision++
  call.state.saveKeys([key])
  return shown(key)
}

function enable(call: Call): Reply {
  const key = keyToChange(call, 'use')
  requireState('The key', key, 'DISABLED')
  begin(key, 'ENABLING', 'ENABLED', call.state.endsAt())
  call.state.saveKeys([key])
  return shown(key)
}

function disable(call: Call): Reply {
  const key = keyToChange(call, 'use')
  requireState('The key', key, 'ENABLED')
  begin(key, 'DISABLING', 'DISABLED', call.state.endsAt())
  call.state.saveKeys([key])
  return shown(key)
}

function schedule(call: Call): Reply {
  const key = keyToChange(call, 'manage')
  requireState('The key', key, 'ENABLED', 'DISABLED')
  scheduleDeletion(key, deletionTimeIn(call), call.state.endsAt())
  call.state.saveKeys([key])
  return shown(key)
}

function cancel(call: Call): Reply {
  const key = keyToChange(call, 'manage')
  requireState('The key', key, 'PENDING_DELETION')
  cancelDeletion(key, call.state.endsAt())
  call.state.saveKeys([key])
  return shown(key)
}

function changeCompartment(call: Call): Reply {
  const key = keyToChange(call, 'manage')
  requireState('The key', key, 'ENABLED', 'DISABLED')
  requiredText(call.body, 'compartmentId')
  key.compartmentId = compartmentIn(call, call.body)
  begin(key, 'UPDATING', key.state, call.state.endsAt())
  call.state.saveKeys([key])
  return { headers: shown(key).headers ?? {} }
}

const KEY = '/keys/{keyId}'

export const keyRoutes: readonly Route[] = [
  keyRead('GetWrappingKey', '/wrappingKeys', getWrappingKey),
  keyRead('ListKeys', '/keys', listKeys),
  keyPost('CreateKey', '/keys', createKey),
  keyPost('ImportKey', '/keys/import', importKey),
  keyRead('GetKey', KEY, (call) => shown(keyInPath(call, 'read'))),
  keyPut('UpdateKey', KEY, updateKey),
  keyPost('EnableKey', `${KEY}/actions/enable`, enable),
  keyPost('DisableKey', `${KEY}/actions/disable`, disable),
  keyProvision('ScheduleKeyDeletion', `${KEY}/actions/scheduleDeletion`, schedule),
  keyProvision('CancelKeyDeletion', `${KEY}/actions/cancelDeletion`, cancel),
  keyProvision('ChangeKeyCompartment', `${KEY}/actions/changeCompartment`, changeCompartment),
]
