import type { SecretProperties } from '@azure/keyvault-secrets'
import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { CloudBSecretParam } from '../param.ts'
import { changingVerbs, type ChangingCalls } from './changing.ts'
import { call, onSecrets } from './client.ts'
import { versionsOf, type Version } from './items.ts'
import { listsOf, secretVersions, vaultAddress, vaultScope } from './lists.ts'
import { commonOf, made, settingOf } from './creation.ts'
import { refIn, refOf } from './names.ts'
import { readingVerbs } from './reading.ts'
import type { CloudBPlace, CloudBSecretChange, CloudBSecrets } from './types.ts'
import { attributesRead, deletionRead, tagsRead } from './wire.ts'

/** The interface's description of a version: fields in the order of its schema. Its value is not read. */
function versionRead(properties: SecretProperties): Version<CloudBSecretParam> {
  const { id = '', contentType, managed } = properties
  const attributes = attributesRead(properties)
  const param = CloudBSecretParam.parse(
    defined({ id, attributes, contentType, tags: tagsRead(properties.tags), managed }),
  )
  return { ref: refIn(id), param }
}

/**
 * Uses the list of versions, which contains everything except the value: reading a secret itself would return its
 * value.
 */
async function get(place: CloudBPlace, name: string, version?: string): Promise<Version<CloudBSecretParam>> {
  const all = await versionsOf(calls, place, name)
  const found = version === undefined ? all.at(-1) : all.find(({ ref }) => ref === refOf(name, version))
  if (found?.param === undefined) throw new Refusal('CLOUD_NOT_FOUND', `Cloud-b has no version ${version} of ${name}.`)
  return { ref: found.ref, param: found.param }
}

/** Ours: called without the SDK. The SDK would read the secret's value to check whether it is recovered. */
async function startRecovery(place: CloudBPlace, name: string): Promise<void> {
  const url = vaultAddress(place, `/deletedsecrets/${name}/recover`)
  await call(place, { method: 'POST', url, scope: vaultScope(place), reply: z.object({}) })
}

const calls: ChangingCalls<CloudBSecretParam, CloudBSecretChange> = {
  ...listsOf('secrets'),
  versions: secretVersions,
  tellsLatest: false,
  get,
  getDeleted: (place, name) =>
    onSecrets(place, async (secrets, options) => {
      const { properties, deletedOn, scheduledPurgeDate } = await secrets.getDeletedSecret(name, options)
      return { ...versionRead(properties), deletion: deletionRead({ deletedOn, scheduledPurgeDate }) }
    }),
  change: (place, { name, version }, { attributes, tags, contentType }) => {
    const changed = {
      ...settingOf(attributes),
      ...(tags !== undefined && { tags: { ...tags } }),
      ...defined({ contentType }),
    }
    return onSecrets(place, async (secrets, options) =>
      versionRead(await secrets.updateSecretProperties(name, version, { ...changed, ...options })),
    )
  },
  startDeletion: (place, name) =>
    onSecrets(place, async (secrets, options) => {
      const poller = await secrets.beginDeleteSecret(name, options)
      return poller.getOperationState().result?.recoveryId !== undefined
    }),
  startRecovery,
  purge: (place, name) => onSecrets(place, (secrets, options) => secrets.purgeDeletedSecret(name, options)),
  backup: (place, name) =>
    onSecrets(place, async (secrets, options) => Buffer.from((await secrets.backupSecret(name, options)) ?? [])),
  restore: (place, backup) =>
    onSecrets(place, async (secrets, options) => (await secrets.restoreSecretBackup(backup, options)).name, {
      makesNew: true,
      conflictIsFinal: true,
    }),
}

const create: CloudBSecrets['create'] = async (place, spec, journal) => {
  const { name, value, contentType } = spec
  const creation = { ...commonOf(spec), ...defined({ contentType }) }
  return made(calls, place, spec, journal, () =>
    onSecrets(
      place,
      async (secrets, options) =>
        versionRead((await secrets.setSecret(name, value, { ...creation, ...options })).properties),
      { makesNew: true },
    ),
  )
}

export const secrets: CloudBSecrets = { ...readingVerbs(calls), ...changingVerbs(calls), create }
