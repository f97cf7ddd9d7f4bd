import { defined } from '../../../base/fields.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { Refusal } from '../../../base/errors.ts'
import { KEY_LABEL } from '../param.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import { makePrimary } from './changing.ts'
import { ask } from './client.ts'
import { codeOf } from './errors.ts'
import { importJob } from './import-jobs.ts'
import { keyName, lastPart, ringName } from './names.ts'
import { allVersions, getKey } from './reading.ts'
import { settled } from './settling.ts'
import { algorithmFor, assertMaterialFits } from './specs.ts'
import type { CloudC, CloudCKeyRead, CloudCKeySpec, CloudCPlace } from './types.ts'
import { bringIn } from './versions.ts'
import { cloudsAlgorithm, Key, keyRead } from './wire.ts'

const FIRST = '1'

const bodyOf = (spec: CloudCKeySpec, journal: Journal): object => ({
  purpose: spec.purpose,
  versionTemplate: {
    algorithm: cloudsAlgorithm(algorithmFor(spec.purpose, spec.algorithm)),
    protectionLevel: spec.protection_level ?? 'SOFTWARE',
  },
  labels: { ...spec.labels, [KEY_LABEL]: journal.id },
  ...defined({
    nextRotationTime: spec.next_rotation_time,
    rotationPeriod: spec.rotation_period,
    destroyScheduledDuration: spec.destroy_scheduled_duration,
  }),
  ...(spec.import_only === true && { importOnly: true }),
})

/**
 * Creates the key exactly once: we choose its id, so a second try finds the key of the first one, with the journal's
 * mark.
 * @throws Refusal CLOUD_CONFLICT when a key of another party has the id
 */
async function makeOnce(place: CloudCPlace, spec: CloudCKeySpec, isEmpty: boolean, journal: Journal): Promise<string> {
  keyName(place.ring, spec.key_name) // refuses an invalid id before any call
  try {
    const made = await ask(place, {
      service: 'kms',
      method: 'POST',
      path: `/v1/${ringName(place.ring)}/cryptoKeys`,
      query: { cryptoKeyId: spec.key_name, ...(isEmpty && { skipInitialVersionCreation: true }) },
      body: bodyOf(spec, journal),
      reply: Key,
    })
    return lastPart(made.name)
  } catch (error) {
    if (codeOf(error) !== 'ALREADY_EXISTS') throw error
    const { labels } = await getKey(place, spec.key_name)
    if (labels[KEY_LABEL] !== journal.id) throw error
    return spec.key_name
  }
}

const made = (place: CloudCPlace, spec: CloudCKeySpec, isEmpty: boolean, journal: Journal): Promise<string> =>
  journal.step(MADE, () => makeOnce(place, spec, isEmpty, journal))

const described = async (place: CloudCPlace, ref: string): Promise<CloudCKeyRead> => keyRead(await getKey(place, ref))

export const create: CloudC['create'] = async (place, spec, journal) => {
  const isEmpty = spec.import_only === true
  const ref = await made(place, spec, isEmpty, journal)
  if (!isEmpty) await settled(place, ref, FIRST)
  return described(place, ref)
}

/** The first version imported through our job is ours, even if the answer was lost. */
async function broughtBy(place: CloudCPlace, ref: string, job: string): Promise<string | undefined> {
  const version = (await allVersions(place, ref)).find(({ importJob: used }) => used === job)
  return version && lastPart(version.name)
}

export const upload: CloudC['upload'] = async (place, spec, material: KeyMaterial, journal) => {
  const algorithm = algorithmFor(spec.purpose, spec.algorithm)
  assertMaterialFits(algorithm, material)
  const ref = await made(place, spec, true, journal)
  const job = await journal.step('job', () => importJob(place, spec.protection_level ?? 'SOFTWARE'))
  const found = () => broughtBy(place, ref, job)
  const version = await journal.step('version', () => bringIn(place, ref, { job, algorithm, material, found }), found)
  const { param } = await settled(place, ref, version)
  if (param.state !== 'ENABLED')
    throw new Refusal('CLOUD_CONFLICT', `Cloud-c has the material, but the version was made ${param.state} meanwhile.`)
  if (spec.purpose === 'ENCRYPT_DECRYPT') await makePrimary(place, ref, version)
  return described(place, ref)
}
