import { randomUUID } from 'node:crypto'
import { algorithmRow } from '../algorithms.ts'
import { flagAt, onlyKnown, textAt, type Body } from '../body.ts'
import type { Call, Route } from '../call.ts'
import { describeKey } from '../describe.ts'
import { PURPOSES, wordOf, type Purpose } from '../enums.ts'
import { exists, invalid, notFound, precondition } from '../errors.ts'
import { keyNamed, newId, ringNamed } from '../found.ts'
import { versionNumbered, type HeldKey } from '../held.ts'
import { destroyMsIn, labelsIn, requireExpert, requireRotation, rotationIn, templateIn } from '../key-rules.ts'
import { listed } from '../pages.ts'
import { newVersion } from '../passing-time.ts'
import { change, read, remove, update } from '../route.ts'

const RING = '/v1/projects/*/locations/*/keyRings/*'
const KEY = `${RING}/cryptoKeys/*`
/** The last ones are members of answers, which requests ignore. */
const MEMBERS = [
  ...['purpose', 'versionTemplate', 'labels', 'nextRotationTime', 'rotationPeriod', 'importOnly'],
  ...['destroyScheduledDuration', 'name', 'primary', 'createTime'],
]

/** Describes a key; counts as a read of the version in its description. */
function shown(call: Call, key: HeldKey): object {
  const primary = key.primary === undefined ? undefined : versionNumbered(key, key.primary)
  if (primary !== undefined) call.state.look(key, primary)
  return describeKey(key)
}

/** Purposes of symmetric ciphers. */
const AT_ONCE: ReadonlySet<Purpose> = new Set<Purpose>(['ENCRYPT_DECRYPT', 'RAW_ENCRYPT_DECRYPT'])

/** Number of reads that see a new version pending. */
export const looksToMake = ({ state }: Call, { template }: HeldKey): number =>
  AT_ONCE.has(algorithmRow(template.algorithm).purpose) && template.protectionLevel === 'SOFTWARE'
    ? 0
    : state.delays().generation

function createKey(call: Call): object {
  ringNamed(call, call.name)
  const name = `${call.name}/cryptoKeys/${newId(call, 'cryptoKeyId')}`
  const body = onlyKnown(call.body, MEMBERS)
  const purpose = wordOf(PURPOSES, body.purpose, 'crypto_key.purpose')
  if (purpose === undefined) throw invalid('crypto_key.purpose must be set.')
  const importOnly = flagAt(body, 'importOnly')
  const isEmpty = call.query.get('skipInitialVersionCreation') === 'true'
  if (importOnly && !isEmpty) throw invalid('An import-only CryptoKey must skip the creation of an initial version.')
  const now = call.state.now()
  const key: HeldKey = {
    name,
    createdAt: now,
    purpose,
    template: templateIn(body, purpose),
    labels: labelsIn(body),
    ...rotationIn(body),
    destroyMs: destroyMsIn(body, importOnly),
    importOnly,
    versions: [],
  }
  requireRotation(key, key, now)
  requireExpert(call, key.template.algorithm, call.name)
  if (call.state.key(name) !== undefined || call.state.isRetired(name)) throw exists(`CryptoKey ${name}`)
  if (!isEmpty) {
    const { number } = newVersion(key, now, looksToMake(call, key))
    if (purpose === 'ENCRYPT_DECRYPT') key.primary = number
  }
  call.state.saveKeys([key])
  return describeKey(key)
}

const CHANGEABLE = ['labels', 'nextRotationTime', 'rotationPeriod', 'versionTemplate', 'versionTemplate.algorithm']

const camel = (path: string): string => path.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

/**
 * Fields of the mask, in either spelling. @throws ApiError INVALID_ARGUMENT when it is empty or has an immutable field
 */
export function maskOf({ query }: Call, changeable: readonly string[]): ReadonlySet<string> {
  const paths = (query.get('updateMask') ?? '')
    .split(',')
    .filter((path) => path !== '')
    .map(camel)
  if (paths.length === 0) throw invalid('update_mask must not be empty.')
  const other = paths.find((path) => !changeable.includes(path))
  if (other !== undefined) throw invalid(`The field ${other} cannot be updated.`)
  return new Set(paths)
}

/** Changes nothing unless all changes are valid. */
function changed(key: HeldKey, body: Body, mask: ReadonlySet<string>): Partial<HeldKey> {
  const rotation = rotationIn(body)
  return {
    ...(mask.has('labels') && { labels: labelsIn(body) }),
    ...(mask.has('nextRotationTime') && { nextRotationAt: rotation.nextRotationAt }),
    ...(mask.has('rotationPeriod') && { rotationPeriodMs: rotation.rotationPeriodMs }),
    ...([...mask].some((path) => path.startsWith('versionTemplate')) && {
      template: templateIn(body, key.purpose, key.template),
    }),
  }
}

function updateKey(call: Call): object {
  const key = keyNamed(call, call.name)
  const mask = maskOf(call, CHANGEABLE)
  const change = changed(key, onlyKnown(call.body, MEMBERS), mask)
  if (mask.has('nextRotationTime') || mask.has('rotationPeriod'))
    requireRotation(key, { ...key, ...change }, call.state.now())
  requireExpert(call, change.template?.algorithm, key.name)
  Object.assign(key, change)
  call.state.saveKeys([key])
  return shown(call, key)
}

function updatePrimary(call: Call): object {
  const key = keyNamed(call, call.name)
  const id = textAt(onlyKnown(call.body, ['cryptoKeyVersionId']), 'cryptoKeyVersionId') ?? ''
  if (key.purpose !== 'ENCRYPT_DECRYPT') throw invalid(`Keys of purpose ${key.purpose} have no primary version.`)
  const version = versionNumbered(key, Number(id))
  if (version === undefined) throw notFound(`CryptoKeyVersion ${key.name}/cryptoKeyVersions/${id}`)
  if (version.state !== 'ENABLED')
    throw precondition(`The CryptoKeyVersion is ${version.state}, not ENABLED.`, `KEY_${version.state}`, key.name)
  key.primary = version.number
  call.state.saveKeys([key])
  return describeKey(key)
}

function deleteKey(call: Call): object {
  const key = keyNamed(call, call.name)
  if (key.versions.length > 0)
    throw precondition(`${key.name} has CryptoKeyVersions, which must be deleted first.`, 'KEY_HAS_VERSIONS', key.name)
  call.state.retireKey(key.name)
  return doneAtOnce(key.name)
}

/** A long-running operation that has ended when it is answered, without a result. */
export const doneAtOnce = (name: string): object => ({
  name: `${name.split('/').slice(0, 4).join('/')}/operations/${randomUUID()}`,
  done: true,
  response: { '@type': 'type.googleapis.com/google.protobuf.Empty' },
})

function listKeys(call: Call): object {
  ringNamed(call, call.name)
  return listed(call, 'cryptoKeys', call.state.names('key', call.name), (id) => {
    const key = call.state.key(`${call.name}/cryptoKeys/${id}`)
    return key && describeKey(key)
  })
}

export const keyRoutes: readonly Route[] = [
  read('ListCryptoKeys', `${RING}/cryptoKeys`, 'cryptoKeys.list', listKeys),
  change('CreateCryptoKey', `${RING}/cryptoKeys`, 'cryptoKeys.create', createKey),
  read('GetCryptoKey', KEY, 'cryptoKeys.get', (call) => shown(call, keyNamed(call, call.name))),
  update('UpdateCryptoKey', KEY, 'cryptoKeys.update', updateKey),
  remove('DeleteCryptoKey', KEY, 'cryptoKeys.delete', deleteKey),
  change('UpdateCryptoKeyPrimaryVersion', `${KEY}:updatePrimaryVersion`, 'cryptoKeys.update', updatePrimary),
]
