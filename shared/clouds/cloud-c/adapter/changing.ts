import * as z from 'zod'
import { KEY_LABEL } from '../param.ts'
import { ask } from './client.ts'
import { codeOf } from './errors.ts'
import { keyName, versionName } from './names.ts'
import { getKey, getVersion } from './reading.ts'
import { algorithmFor } from './specs.ts'
import type { CloudC, CloudCKeyChange, CloudCPlace, CloudCVersionRead } from './types.ts'
import { cloudsAlgorithm, Key, keyRead, Version, versionRead } from './wire.ts'

const patchKey = (place: CloudCPlace, ref: string, mask: readonly string[], body: object): Promise<Key> =>
  ask(place, {
    service: 'kms',
    method: 'PATCH',
    path: `/v1/${keyName(place.ring, ref)}`,
    query: { updateMask: mask.join(',') },
    body,
    reply: Key,
  })

/** The change in the cloud's form: a member that is in the mask but not in the body is removed. */
function patchOf(change: CloudCKeyChange, key: Key): readonly [mask: string[], body: object] {
  const { labels, next_rotation_time: at, rotation_period: every, version_template_algorithm: algorithm } = change
  const mark = key.labels[KEY_LABEL]
  const all: readonly (readonly [path: string, body: object | false])[] = [
    ['labels', labels !== undefined && { labels: { ...labels, ...(mark !== undefined && { [KEY_LABEL]: mark }) } }],
    ['next_rotation_time', at !== undefined && (at === null ? {} : { nextRotationTime: at })],
    ['rotation_period', every !== undefined && (every === null ? {} : { rotationPeriod: every })],
    [
      'version_template.algorithm',
      algorithm !== undefined && { versionTemplate: { algorithm: cloudsAlgorithm(algorithm) } },
    ],
  ]
  const said = all.flatMap(([path, body]) => (body === false ? [] : [{ path, body }]))
  return [said.map(({ path }) => path), said.reduce<object>((all, { body }) => ({ ...all, ...body }), {})]
}

export const updateKey: CloudC['updateKey'] = async (place, ref, change) => {
  const key = await getKey(place, ref)
  const [mask, body] = patchOf(change, key)
  return keyRead(mask.length === 0 ? key : await patchKey(place, ref, mask, body))
}

/** @throws Refusal RULE_BROKEN for an algorithm that keys of the purpose do not have */
export async function setTemplateAlgorithm(place: CloudCPlace, ref: string, algorithm: string): Promise<void> {
  const key = await getKey(place, ref)
  const wanted = cloudsAlgorithm(algorithmFor(key.purpose, algorithm))
  if (key.versionTemplate.algorithm === wanted) return
  await patchKey(place, ref, ['version_template.algorithm'], { versionTemplate: { algorithm: wanted } })
}

export const makePrimary = (place: CloudCPlace, ref: string, version: string): Promise<Key> =>
  ask(place, {
    service: 'kms',
    method: 'POST',
    path: `/v1/${keyName(place.ring, ref)}:updatePrimaryVersion`,
    body: { cryptoKeyVersionId: version },
    reply: Key,
  })

export const setPrimary: CloudC['setPrimary'] = async (place, ref, version) =>
  keyRead(await makePrimary(place, ref, version))

const setState = async (
  place: CloudCPlace,
  ref: string,
  version: string,
  state: 'ENABLED' | 'DISABLED',
): Promise<CloudCVersionRead> =>
  versionRead(
    await ask(place, {
      service: 'kms',
      method: 'PATCH',
      path: `/v1/${versionName(place.ring, ref, version)}`,
      query: { updateMask: 'state' },
      body: { state },
      reply: Version,
    }),
  )

export const enableVersion: CloudC['enableVersion'] = (place, ref, version) => setState(place, ref, version, 'ENABLED')
export const disableVersion: CloudC['disableVersion'] = (place, ref, version) =>
  setState(place, ref, version, 'DISABLED')

/**
 * A change that the cloud refuses if the version is already in the wanted state, for example after a lost answer.
 * @param isSo whether the version is in that state; then the refusal is ignored
 */
async function changeUnless(
  place: CloudCPlace,
  ref: string,
  version: string,
  verb: 'destroy' | 'restore',
  isSo: (seen: Version) => boolean,
): Promise<CloudCVersionRead> {
  try {
    const path = `/v1/${versionName(place.ring, ref, version)}:${verb}`
    return versionRead(await ask(place, { service: 'kms', method: 'POST', path, body: {}, reply: Version }))
  } catch (error) {
    if (codeOf(error) !== 'FAILED_PRECONDITION') throw error
    const seen = await getVersion(place, ref, version)
    if (!isSo(seen)) throw error
    return versionRead(seen)
  }
}

export const destroyVersion: CloudC['destroyVersion'] = (place, ref, version) =>
  changeUnless(place, ref, version, 'destroy', ({ state }) => state === 'DESTROY_SCHEDULED' || state === 'DESTROYED')

export const restoreVersion: CloudC['restoreVersion'] = (place, ref, version) =>
  changeUnless(place, ref, version, 'restore', ({ state }) => state === 'ENABLED' || state === 'DISABLED')

/** Removes a resource. The cloud answers with an operation that is already done. */
async function remove(place: CloudCPlace, name: string): Promise<void> {
  try {
    await ask(place, { service: 'kms', method: 'DELETE', path: `/v1/${name}`, reply: z.object({}) })
  } catch (error) {
    if (codeOf(error) !== 'NOT_FOUND') throw error
  }
}

export const deleteVersion: CloudC['deleteVersion'] = (place, ref, version) =>
  remove(place, versionName(place.ring, ref, version))

export const deleteKey: CloudC['deleteKey'] = (place, ref) => remove(place, keyName(place.ring, ref))
