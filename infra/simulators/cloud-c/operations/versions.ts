import { sortedNames } from '../../toolkit/sorted-names.ts'
import { onlyKnown } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { describeVersion, versionName } from '../describe.ts'
import { VERSION_STATES, wordOf, type VersionState } from '../enums.ts'
import { invalid, precondition } from '../errors.ts'
import { keyNamed, versionNamed } from '../found.ts'
import { versionNumbered, type HeldKey, type HeldVersion } from '../held.ts'
import { requireExpert } from '../key-rules.ts'
import { listed } from '../pages.ts'
import { destroyNow, newVersion } from '../passing-time.ts'
import { change, read, remove, update } from '../route.ts'
import { doneAtOnce, looksToMake, maskOf } from './keys.ts'

const KEY = '/v1/projects/*/locations/*/keyRings/*/cryptoKeys/*'
const VERSION = `${KEY}/cryptoKeyVersions/*`

/** @throws ApiError FAILED_PRECONDITION */
function requireState(key: HeldKey, version: HeldVersion, states: readonly VersionState[]): void {
  if (states.includes(version.state)) return
  const message = `${versionName(key, version)} is ${version.state}; it must be ${states.join(' or ')}.`
  throw precondition(message, `KEY_${version.state}`, versionName(key, version))
}

function listVersions(call: Call): object {
  const key = keyNamed(call, call.name)
  const numbers = sortedNames()
  numbers.addAll(key.versions.map(({ number }) => String(number)))
  return listed(call, 'cryptoKeyVersions', numbers, (number) => {
    const version = versionNumbered(key, Number(number))
    return version && describeVersion(key, version)
  })
}

function createVersion(call: Call): object {
  const key = keyNamed(call, call.name)
  onlyKnown(call.body, ['state', 'name', 'externalProtectionLevelOptions'])
  if (key.importOnly)
    throw precondition('Versions of an import-only CryptoKey must be imported.', 'IMPORT_ONLY', key.name)
  requireExpert(call, key.template.algorithm, key.name)
  const version = newVersion(key, call.state.now(), looksToMake(call, key))
  call.state.saveKeys([key])
  return describeVersion(key, version)
}

function updateVersion(call: Call): object {
  const { key, version } = versionNamed(call, call.name)
  maskOf(call, ['state'])
  const state = wordOf(VERSION_STATES, call.body.state, 'crypto_key_version.state')
  if (state !== 'ENABLED' && state !== 'DISABLED')
    throw invalid('The state of a CryptoKeyVersion can be set to ENABLED or DISABLED only.')
  requireState(key, version, ['ENABLED', 'DISABLED'])
  version.state = state
  call.state.saveKeys([key])
  return describeVersion(key, version)
}

function destroy(call: Call): object {
  const { key, version } = versionNamed(call, call.name)
  onlyKnown(call.body, ['name'])
  requireState(key, version, ['ENABLED', 'DISABLED'])
  const now = call.state.now()
  version.state = 'DESTROY_SCHEDULED'
  version.destroyAt = now + key.destroyMs
  if (key.destroyMs === 0) destroyNow(version, now)
  call.state.saveKeys([key])
  return describeVersion(key, version)
}

function restore(call: Call): object {
  const { key, version } = versionNamed(call, call.name)
  onlyKnown(call.body, ['name'])
  requireState(key, version, ['DESTROY_SCHEDULED'])
  version.state = 'DISABLED'
  version.destroyAt = undefined
  call.state.saveKeys([key])
  return describeVersion(key, version)
}

/** The cloud also deletes versions whose generation failed; here no generation fails. */
const DELETED_FROM: readonly VersionState[] = ['DESTROYED', 'IMPORT_FAILED']

function deleteVersion(call: Call): object {
  const { key, version } = versionNamed(call, call.name)
  requireState(key, version, DELETED_FROM)
  if (version.importedAt !== undefined)
    throw precondition(`${call.name} was imported and cannot be deleted.`, 'KEY_IMPORTED', call.name)
  key.versions.splice(key.versions.indexOf(version), 1)
  key.lastDeleted = Math.max(key.lastDeleted ?? 0, version.number)
  if (key.primary === version.number) key.primary = undefined
  call.state.saveKeys([key])
  return doneAtOnce(key.name)
}

function getVersion(call: Call): object {
  const { key, version } = versionNamed(call, call.name)
  call.state.look(key, version)
  return describeVersion(key, version)
}

export const versionRoutes: readonly Route[] = [
  read('ListCryptoKeyVersions', `${KEY}/cryptoKeyVersions`, 'cryptoKeyVersions.list', listVersions),
  change('CreateCryptoKeyVersion', `${KEY}/cryptoKeyVersions`, 'cryptoKeyVersions.create', createVersion),
  read('GetCryptoKeyVersion', VERSION, 'cryptoKeyVersions.get', getVersion),
  update('UpdateCryptoKeyVersion', VERSION, 'cryptoKeyVersions.update', updateVersion),
  remove('DeleteCryptoKeyVersion', VERSION, 'cryptoKeyVersions.delete', deleteVersion),
  change('DestroyCryptoKeyVersion', `${VERSION}:destroy`, 'cryptoKeyVersions.destroy', destroy),
  change('RestoreCryptoKeyVersion', `${VERSION}:restore`, 'cryptoKeyVersions.restore', restore),
]
