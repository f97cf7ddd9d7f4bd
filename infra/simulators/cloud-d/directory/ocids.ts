import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

const base32 = (bytes: Buffer): string => [...bytes].map((byte) => ALPHABET.charAt(byte & 31)).join('')
const hashOf = (text: string): Buffer => createHash('sha512').update(text).digest()

/** A seeded id, the same for the same name. @param place region, and further parts that the kind has */
export const seededOcid = (kind: string, name: string, place = ''): string =>
  `ocid1.${kind}.oc1.${place}.${base32(hashOf(`${kind} ${name}`).subarray(0, 60))}`

/** Id of a new resource in the same place as another: `ocid1.<kind>.oc1.<place>.<unique>`. */
export const newOcid = (kind: string, beside: string): string => {
  const place = beside.split('.').slice(3, -1).join('.')
  return `ocid1.${kind}.oc1.${place}.${base32(randomBytes(60))}`
}

/** Part of a vault's addresses. @param name seed; default: random */
export const newShort = (name?: string): string =>
  base32(name === undefined ? randomBytes(13) : hashOf(`short ${name}`).subarray(0, 13))
