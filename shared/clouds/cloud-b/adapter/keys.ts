import type { CreateKeyOptions, KeyClient } from '@azure/keyvault-keys'
import { defined } from '../../../base/fields.ts'
import { ruleBroken } from '../../../base/errors.ts'
import type { CloudBKeyParam } from '../param.ts'
import { changingVerbs, type ChangingCalls } from './changing.ts'
import { onKeys } from './client.ts'
import { assertImportable, kekRefused, sentKey, wipe } from './importing.ts'
import { policySent, versionRead } from './key-wire.ts'
import { listsOf } from './lists.ts'
import { commonOf, made, settingOf } from './creation.ts'
import { readingVerbs } from './reading.ts'
import { cloudsCurve } from './specs.ts'
import type { CloudBKeyChange, CloudBKeys, CloudBKeySpec, CloudBPlace } from './types.ts'
import { deletionRead } from './wire.ts'

const calls: ChangingCalls<CloudBKeyParam, CloudBKeyChange> = {
  ...listsOf('keys'),
  tellsLatest: true,
  get: (place, name, version) =>
    onKeys(place, async (keys, options) =>
      versionRead(await keys.getKey(name, { ...options, ...defined({ version }) })),
    ),
  getDeleted: (place, name) =>
    onKeys(place, async (keys, options) => {
      const deleted = await keys.getDeletedKey(name, options)
      return { ...versionRead(deleted), deletion: deletionRead(deleted.properties) }
    }),
  change: (place, { name, version }, change) => {
    const { attributes, tags, key_ops: ops, release_policy: policy } = change
    const changed = {
      ...settingOf(attributes),
      ...(tags !== undefined && { tags: { ...tags } }),
      ...(ops !== undefined && { keyOps: [...ops] }),
      ...(policy !== undefined && { releasePolicy: policySent(policy) }),
    }
    return onKeys(place, async (keys, options) =>
      versionRead(await keys.updateKeyProperties(name, version, { ...changed, ...options })),
    )
  },
  startDeletion: (place, name) =>
    onKeys(place, async (keys, options) => {
      const poller = await keys.beginDeleteKey(name, options)
      return poller.getOperationState().result?.properties.recoveryId !== undefined
    }),
  startRecovery: (place, name) =>
    onKeys(place, async (keys, options) => {
      await keys.beginRecoverDeletedKey(name, options)
    }),
  purge: (place, name) => onKeys(place, (keys, options) => keys.purgeDeletedKey(name, options)),
  backup: (place, name) =>
    onKeys(place, async (keys, options) => Buffer.from((await keys.backupKey(name, options)) ?? [])),
  restore: (place, backup) =>
    onKeys(place, async (keys, options) => (await keys.restoreKeyBackup(backup, options)).name, {
      makesNew: true,
      conflictIsFinal: true,
    }),
}

/** The SDK options for every new version. */
const optionsOf = ({ exportable, release_policy: policy, ...spec }: CloudBKeySpec) => ({
  ...commonOf(spec),
  ...defined({ exportable }),
  ...(policy !== undefined && { releasePolicy: policySent(policy) }),
})

const creationOf = ({ crv, key_size: keySize, key_ops: ops, ...spec }: CloudBKeySpec): CreateKeyOptions => ({
  ...optionsOf(spec),
  ...(crv !== undefined && { curve: cloudsCurve(crv) }),
  ...defined({ keySize }),
  ...(ops !== undefined && { keyOps: [...ops] }),
})

const create: CloudBKeys['create'] = async (place, spec, journal) => {
  const { kty } = spec
  if (kty === undefined) throw ruleBroken('kty', 'must be given', '#/cloud_b_param/kty')
  const creation = creationOf(spec)
  return made(calls, place, spec, journal, () =>
    onKeys(
      place,
      async (keys, options) => versionRead(await keys.createKey(spec.name, kty, { ...creation, ...options })),
      { makesNew: true },
    ),
  )
}

async function bringIn(place: CloudBPlace, spec: CloudBKeySpec, material: Parameters<typeof sentKey>[2]) {
  const sent = await sentKey(place, spec, material, (name, version) => calls.get(place, name, version))
  const { key, hardwareProtected } = sent
  const options = { ...optionsOf(spec), hardwareProtected }
  const send = async (keys: KeyClient, more: object) =>
    versionRead(await keys.importKey(spec.name, key, { ...options, ...more }))
  try {
    return await onKeys(place, send, { makesNew: true })
  } catch (error) {
    throw spec.kek_kid === undefined ? error : kekRefused(error)
  } finally {
    wipe(sent)
  }
}

const upload: CloudBKeys['upload'] = async (place, spec, material, journal) => {
  assertImportable(place, spec, material)
  return made(calls, place, spec, journal, () => bringIn(place, spec, material))
}

export const keys: CloudBKeys = { ...readingVerbs(calls), ...changingVerbs(calls), create, upload }
