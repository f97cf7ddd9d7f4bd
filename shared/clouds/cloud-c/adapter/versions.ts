import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { wrap, WRAPPINGS } from '../../../crypto/wrap.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import { setTemplateAlgorithm } from './changing.ts'
import { ask } from './client.ts'
import { mayHaveTakenEffect, wait } from './errors.ts'
import { importJob, wrappingKey } from './import-jobs.ts'
import { keyName, lastPart, versionName } from './names.ts'
import { allVersions, getKey, getVersion, numberOf } from './reading.ts'
import { settled } from './settling.ts'
import { assertMaterialFits } from './specs.ts'
import type { CloudC, CloudCPlace } from './types.ts'

import { cloudsAlgorithm, neutralAlgorithm, Version } from './wire.ts'

/** Ours: time until the list shows a version whose creation answer was lost. */
const LISTED_MS = 1_000

/**
 * Creates a version exactly once. The cloud has no token that makes the call repeatable, so the version is searched for
 * when the outcome is unknown. If it is not found, one more try follows, unless the first may still be under way.
 */
async function makeOnce(
  { budget }: CloudCPlace,
  make: () => Promise<string>,
  find: () => Promise<string | undefined>,
): Promise<string> {
  try {
    return await make()
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
    await wait(LISTED_MS, budget)
    const found = await find().catch(() => {
      throw error // the outcome is still unknown
    })
    if (found !== undefined) return found
    if (error instanceof Refusal && error.reason === 'CLOUD_TIMEOUT') throw error
    return make()
  }
}

/** Material for a key. */
interface Import {
  /** full name */
  readonly job: string
  /** in the interface's spelling */
  readonly algorithm: string
  readonly material: KeyMaterial
  /** The version to import into again; default: a new one. */
  readonly into?: string
  /** Number of the version that an earlier try may have created or filled. */
  readonly found: () => Promise<string | undefined>
}

/**
 * Sends material, wrapped under the job's key. @returns number of its version, which the cloud may still be checking
 */
export async function bringIn(place: CloudCPlace, ref: string, how: Import): Promise<string> {
  const { job, algorithm, material, into, found } = how
  const wrapping = await wrappingKey(place, job)
  const wrappedKey = wrap(WRAPPINGS['RSA/RSAAESKEYWRAPPADDING'], wrapping, material.bytes).toString('base64')
  const make = async () => {
    const version = await ask(place, {
      service: 'kms',
      method: 'POST',
      path: `/v1/${keyName(place.ring, ref)}/cryptoKeyVersions:import`,
      body: {
        algorithm: cloudsAlgorithm(algorithm),
        importJob: job,
        wrappedKey,
        ...(into !== undefined && { cryptoKeyVersion: versionName(place.ring, ref, into) }),
      },
      makesNew: true,
      reply: Version,
    })
    return lastPart(version.name)
  }
  return makeOnce(place, make, found)
}

/** Highest number of the key's versions before another is created: a higher one afterwards is the new one. */
const numberedBefore = (place: CloudCPlace, ref: string, journal: Journal): Promise<number> =>
  journal.step('before', async () => Math.max(0, ...(await allVersions(place, ref)).map(numberOf)))

/**
 * The first later version for which `isOurs` holds. Ours: assumes that no other party works on the key at the same
 * moment.
 */
const madeSince = async (
  place: CloudCPlace,
  ref: string,
  before: number,
  isOurs: (version: Version) => boolean,
): Promise<string | undefined> => {
  const found = (await allVersions(place, ref)).find((version) => numberOf(version) > before && isOurs(version))
  return found && lastPart(found.name)
}

export const createVersion: CloudC['createVersion'] = async (place, ref, { algorithm }, journal) => {
  if (algorithm !== undefined) await setTemplateAlgorithm(place, ref, algorithm)
  const before = await numberedBefore(place, ref, journal)
  const found = () => madeSince(place, ref, before, ({ importJob: job }) => job === undefined)
  const make = async () => {
    const path = `/v1/${keyName(place.ring, ref)}/cryptoKeyVersions`
    const version = await ask(place, {
      service: 'kms',
      method: 'POST',
      path,
      body: {},
      makesNew: true,
      reply: Version,
    })
    return lastPart(version.name)
  }
  return settled(place, ref, await journal.step('version', () => makeOnce(place, make, found), found))
}

export const importVersion: CloudC['importVersion'] = async (place, ref, spec, material, journal) => {
  const { versionTemplate: template } = await getKey(place, ref)
  const algorithm = spec.algorithm ?? neutralAlgorithm(template.algorithm)
  assertMaterialFits(algorithm, material)
  const before = await numberedBefore(place, ref, journal)
  const job = await journal.step('job', () => importJob(place, template.protectionLevel))
  const found = () => madeSince(place, ref, before, (version) => version.importJob === job)
  const version = await journal.step('version', () => bringIn(place, ref, { job, algorithm, material, found }), found)
  return settled(place, ref, version)
}

export const reimportVersion: CloudC['reimportVersion'] = async (place, ref, number, material, journal) => {
  const { algorithm: word, protectionLevel } = await getVersion(place, ref, number)
  const algorithm = neutralAlgorithm(word)
  assertMaterialFits(algorithm, material)
  const job = await journal.step('job', () => importJob(place, protectionLevel))
  const found = async () => {
    const { state, importJob: used } = await getVersion(place, ref, number)
    return used === job && (state === 'PENDING_IMPORT' || state === 'ENABLED') ? number : undefined
  }
  const how = { job, algorithm, material, into: number, found }
  await journal.step('version', () => bringIn(place, ref, how), found)
  return settled(place, ref, number)
}
