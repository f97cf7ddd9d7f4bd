import type { Call, Route } from '../wire/call.ts'
import { etagOf, type Reply } from '../wire/reply.ts'
import { begin, cancelDeletion, newVersion, scheduleDeletion } from '../state/passing-time.ts'
import type { HeldKey, HeldVersion } from '../state/held.ts'
import { incorrectState } from '../wire/errors.ts'
import { activeVault, deletionTimeIn, keyInPath, requireState, versionInPath } from '../wire/found.ts'
import { listed } from '../wire/pages.ts'
import { keyPost, keyProvision, keyRead } from '../wire/route.ts'
import { versionToRefer } from '../external/keys.ts'
import { describeVersion, describeVersionSummary } from './describe.ts'
import { importedIn, requireOwnKeys } from './import.ts'

const shown = async (call: Call, key: HeldKey, version: HeldVersion): Promise<Reply> => ({
  body: await describeVersion(call.state, key, version),
  headers: { etag: etagOf(version) },
})

function listVersions(call: Call): Reply {
  const key = keyInPath(call, 'read')
  const items = key.versions.map((item, at) => ({ item, by: String(at).padStart(8, '0') }))
  return listed(call, items, (version) => describeVersionSummary(key, version), call.query.get('sortOrder') ?? 'DESC')
}

async function getVersion(call: Call): Promise<Reply> {
  const { key, version } = versionInPath(call, 'read')
  return shown(call, key, version)
}

/** A key that accepts a new version. */
function keyToRotate(call: Call): HeldKey {
  const key = keyInPath(call, 'use')
  activeVault(call)
  requireState('The key', key, 'ENABLED')
  return key
}

/** Adds a version, which becomes current once it is created. Ours: until then the key is UPDATING. */
function addVersion(
  call: Call,
  key: HeldKey,
  more: Pick<HeldVersion, 'origin' | 'bytes' | 'externalVersionId'>,
): Promise<Reply> {
  const { state } = call
  const endsAt = state.endsAt()
  begin(key, 'UPDATING', 'ENABLED', endsAt)
  const transit = { to: 'ENABLED', endsAt } as const
  const version = newVersion(key, { ...more, state: 'CREATING', transit, createdAt: state.now() })
  key.next = version.id
  state.saveKeys([key])
  return shown(call, key, version)
}

async function createVersion(call: Call): Promise<Reply> {
  const key = keyToRotate(call)
  if (key.protectionMode !== 'EXTERNAL') return addVersion(call, key, { origin: 'INTERNAL' })
  const externalVersionId = await versionToRefer(call, key)
  return addVersion(call, keyToRotate(call), { origin: 'EXTERNAL', externalVersionId })
}

async function importVersion(call: Call): Promise<Reply> {
  requireOwnKeys(activeVault(call))
  const bytes = await importedIn(call, keyToRotate(call).shape)
  return addVersion(call, keyToRotate(call), { origin: 'EXTERNAL', bytes })
}

function versionToChange(call: Call): { readonly key: HeldKey; readonly version: HeldVersion } {
  const found = versionInPath(call, 'manage')
  activeVault(call)
  call.requireMatch(found.version)
  requireState('The key', found.key, 'ENABLED', 'DISABLED')
  return found
}

function schedule(call: Call): Promise<Reply> {
  const { key, version } = versionToChange(call)
  if ([key.current, key.next].includes(version.id)) throw incorrectState('The current key version cannot be deleted.')
  requireState('The key version', version, 'ENABLED', 'DISABLED')
  scheduleDeletion(version, deletionTimeIn(call), call.state.endsAt())
  call.state.saveKeys([key])
  return shown(call, key, version)
}

function cancel(call: Call): Promise<Reply> {
  const { key, version } = versionToChange(call)
  requireState('The key version', version, 'PENDING_DELETION')
  cancelDeletion(version, call.state.endsAt())
  call.state.saveKeys([key])
  return shown(call, key, version)
}

const VERSIONS = '/keys/{keyId}/keyVersions'
const VERSION = `${VERSIONS}/{keyVersionId}`

export const versionRoutes: readonly Route[] = [
  keyRead('ListKeyVersions', VERSIONS, listVersions),
  keyPost('CreateKeyVersion', VERSIONS, createVersion),
  keyPost('ImportKeyVersion', `${VERSIONS}/import`, importVersion),
  keyRead('GetKeyVersion', VERSION, getVersion),
  keyProvision('ScheduleKeyVersionDeletion', `${VERSION}/actions/scheduleDeletion`, schedule),
  keyProvision('CancelKeyVersionDeletion', `${VERSION}/actions/cancelDeletion`, cancel),
]
