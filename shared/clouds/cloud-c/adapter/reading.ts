import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { crc32c } from '../../../crypto/crc32c.ts'
import type { RefPage, Survey } from '../../../cloud/contract.ts'
import { ask } from './client.ts'
import { keyName, lastPart, ringName, versionName } from './names.ts'
import type { CloudC, CloudCKeyRead, CloudCPlace, CloudCVersionRead } from './types.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import {
  Key,
  keyRead,
  KeyPage,
  listedRead,
  neutralAlgorithm,
  PublicKey,
  Version,
  VersionPage,
  versionRead,
  type ListedKey,
} from './wire.ts'

/** Largest page of the cloud. */
const A_PAGE = 1_000
/**
 * Ours: number of keys that a survey keeps in memory, at about a kilobyte each. Further keys of larger rings are read
 * one by one.
 */
const SURVEYED_MOST = 20_000

const keyPage = (place: CloudCPlace, pageToken: string | undefined) =>
  ask(place, {
    service: 'kms',
    method: 'GET',
    path: `/v1/${ringName(place.ring)}/cryptoKeys`,
    query: { pageSize: A_PAGE, pageToken },
    reply: KeyPage,
  })

/** An empty token ends a list, like an absent one. */
export const nextOf = ({ nextPageToken }: { nextPageToken?: string | undefined }): string | undefined =>
  nextPageToken === '' ? undefined : nextPageToken

export async function refs(place: CloudCPlace, cursor: string | undefined): Promise<RefPage> {
  const reply = await keyPage(place, cursor)
  const next = nextOf(reply)
  return { refs: reply.cryptoKeys.map(({ name }) => lastPart(name)), ...defined({ next }) }
}

/** In the cloud's form. @throws Refusal CLOUD_NOT_FOUND */
export const getKey = (place: CloudCPlace, ref: string): Promise<Key> =>
  ask(place, { service: 'kms', method: 'GET', path: `/v1/${keyName(place.ring, ref)}`, reply: Key })

export async function read(place: CloudCPlace, ref: string): Promise<CloudCKeyRead | undefined> {
  const key = await ifThere(getKey(place, ref))
  return key && keyRead(key)
}

/** Lists contain whole descriptions of keys, which saves a call for each key. */
export async function survey(place: CloudCPlace): Promise<Survey<CloudCKeyRead>> {
  const seen = new Map<string, ListedKey>()
  let next: string | undefined
  do {
    const reply = await keyPage(place, next)
    for (const key of reply.cryptoKeys) seen.set(lastPart(key.name), key)
    next = nextOf(reply)
  } while (next !== undefined && seen.size < SURVEYED_MOST)
  const isWhole = next === undefined
  return {
    read: async (ref) => {
      const key = seen.get(ref)
      if (key !== undefined) return listedRead(key)
      return isWhole ? undefined : read(place, ref)
    },
  }
}

/** In the cloud's form. @throws Refusal CLOUD_NOT_FOUND */
export const getVersion = (place: CloudCPlace, ref: string, version: string): Promise<Version> =>
  ask(place, { service: 'kms', method: 'GET', path: `/v1/${versionName(place.ring, ref, version)}`, reply: Version })

/** Every version in the cloud's form, by number. @throws Refusal CLOUD_NOT_FOUND */
export async function allVersions(place: CloudCPlace, ref: string): Promise<Version[]> {
  const all: Version[] = []
  let pageToken: string | undefined
  do {
    const reply = await ask(place, {
      service: 'kms',
      method: 'GET',
      path: `/v1/${keyName(place.ring, ref)}/cryptoKeyVersions`,
      query: { pageSize: A_PAGE, pageToken },
      reply: VersionPage,
    })
    all.push(...reply.cryptoKeyVersions)
    pageToken = nextOf(reply)
  } while (pageToken !== undefined)
  return all.sort((a, b) => numberOf(a) - numberOf(b))
}

export const numberOf = ({ name }: Pick<Version, 'name'>): number => Number(lastPart(name))

export const versions: CloudC['versions'] = async (place, ref) =>
  (await allVersions(place, ref)).map((version) => versionRead(version))

export async function version(place: CloudCPlace, ref: string, number: string): Promise<CloudCVersionRead | undefined> {
  const found = await ifThere(getVersion(place, ref, number))
  return found && versionRead(found)
}

export const publicKey: CloudC['publicKey'] = async (place, ref, number) => {
  const name = versionName(place.ring, ref, number)
  const reply = await ask(place, { service: 'kms', method: 'GET', path: `/v1/${name}/publicKey`, reply: PublicKey })
  const isWhole = reply.name === name && reply.pemCrc32c === String(crc32c(Buffer.from(reply.pem)))
  if (!isWhole) throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-c answered with a public key that came to harm.')
  return { pem: reply.pem, algorithm: neutralAlgorithm(reply.algorithm) }
}
