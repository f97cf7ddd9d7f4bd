import { createPublicKey, createSecretKey } from 'node:crypto'
import * as fs from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isNameIn } from '../../../shared/base/json.ts'
import { decryptGcm, encryptGcm } from '../../../shared/crypto/aead.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import { SIGNATURES, verify } from '../../../shared/crypto/signing/sign.ts'
import { WRAPPINGS, unwrap, wrap, type WrappingRow } from '../../../shared/crypto/wrap.ts'

/**
 * A vector: its own lines and the preceding lines that apply to several vectors, in lower case. `fail` exists only if
 * it is set.
 */
export type Vector = Readonly<Record<string, string>>

/** `true` if the service gives the published result; `undefined` for parameters that it does not offer. */
export type Answer = boolean | undefined

/** A response file, and how the service is asked about one of its vectors. */
export interface ResponseFile {
  readonly name: string
  readonly ask: (vector: Vector) => Answer
}

const FOLDER = new URL('../../vectors/cavp/', import.meta.url)

/** Members of one paragraph: `Name = value`, `[Name = value]`, `[P-256,SHA-512]`, and `FAIL` alone. */
function membersOf(paragraph: string): Record<string, string> {
  const members: Record<string, string> = {}
  for (const line of paragraph.split('\n')) {
    if (line.startsWith('#')) continue
    const [, name, value] = /^\[?([\w ]+?) = ?([^\]]*)\]?$/.exec(line) ?? []
    if (name !== undefined) members[name.toLowerCase()] = value as string
    else if (line === 'FAIL') members.fail = 'FAIL'
    else if (line.startsWith('[')) members.section = line.slice(1, -1)
  }
  return members
}

/**
 * The vectors of a file: paragraphs with a number or a result. Members of other paragraphs apply to all later vectors.
 */
export function vectorsOf(name: string): readonly Vector[] {
  const text = gunzipSync(fs.readFileSync(new URL(`${name}.gz`, FOLDER)))
    .toString()
    .replaceAll('\r', '')
  const vectors: Vector[] = []
  let shared: Vector = {}
  for (const members of text.split(/\n{2,}/).map(membersOf)) {
    const isVector = ['count', 'result'].some((member) => member in members)
    if (isVector) vectors.push({ ...shared, ...members })
    else shared = { ...shared, ...members }
  }
  return vectors
}

const hex = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'hex')

/** Whether the work gives `true`; an error is `false`. */
function holds(work: () => boolean): boolean {
  try {
    return work()
  } catch {
    return false
  }
}

const isOurGcm = ({ ivlen, taglen }: Vector): boolean => ivlen === '96' && taglen === '128'

function gcmDecrypt(vector: Vector): Answer {
  if (!isOurGcm(vector)) return undefined
  const { key, iv, ct, aad, tag, pt, fail } = vector
  const opened = holds(() =>
    decryptGcm(hex(key), { ciphertext: hex(ct), tag: hex(tag) }, hex(iv), hex(aad)).equals(hex(pt)),
  )
  return opened === (fail === undefined)
}

function gcmEncrypt(vector: Vector): Answer {
  if (!isOurGcm(vector)) return undefined
  const { key, iv, ct, aad, tag, pt } = vector
  const made = encryptGcm(hex(key), hex(pt), hex(iv), hex(aad))
  return made.ciphertext.equals(hex(ct)) && made.tag.equals(hex(tag))
}

const wraps =
  (row: WrappingRow) =>
  ({ k, p, c }: Vector): Answer =>
    wrap(row, createSecretKey(hex(k)), SecretBytes.take(hex(p))).equals(hex(c))

const unwraps =
  (row: WrappingRow) =>
  ({ k, p, c, fail }: Vector): Answer => {
    const opened = holds(() => unwrap(row, createSecretKey(hex(k)), hex(c)).use((bytes) => bytes.equals(hex(p))))
    return opened === (fail === undefined)
  }

const base64url = (text: string | undefined): string => hex(text).toString('base64url')
const isGenuine = ({ result }: Vector): boolean => result?.startsWith('P') === true

/** RSASSA-PKCS1-v1_5 with the hashes that the service offers. */
function rsaVerify(vector: Vector): Answer {
  const name = `rsa-pkcs1-${vector.shaalg?.toLowerCase() ?? ''}`
  if (!isNameIn(SIGNATURES, name)) return undefined
  const number = vector.e?.replace(/^(00)+/, '')
  const genuine = holds(() => {
    const key = createPublicKey({
      key: { kty: 'RSA', n: base64url(vector.n), e: base64url(number) },
      format: 'jwk',
    })
    return verify(SIGNATURES[name], key, hex(vector.msg), hex(vector.s))
  })
  return genuine === isGenuine(vector)
}

/** Bytes of a coordinate or of half a signature. */
const CURVES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }

/** ECDSA on the curves of NIST with the hashes that the service offers. */
function ecdsaVerify(vector: Vector): Answer {
  const [curve = '', sha = ''] = vector.section?.split(',') ?? []
  const name = `ecdsa-${sha.replace('-', '').toLowerCase()}-p1363`
  const bytes = CURVES[curve]
  if (bytes === undefined || !isNameIn(SIGNATURES, name)) return undefined
  const padded = (text: string | undefined) => (text ?? '').padStart(2 * bytes, '0')
  const genuine = holds(() => {
    const key = createPublicKey({
      key: { kty: 'EC', crv: curve, x: base64url(padded(vector.qx)), y: base64url(padded(vector.qy)) },
      format: 'jwk',
    })
    return verify(SIGNATURES[name], key, hex(vector.msg), hex(padded(vector.r) + padded(vector.s)))
  })
  return genuine === isGenuine(vector)
}

const keyWraps = ['128', '192', '256'].flatMap((bits): ResponseFile[] => [
  { name: `KW_AE_${bits}.txt`, ask: wraps(WRAPPINGS['AES/AESKEYWRAP']) },
  { name: `KW_AD_${bits}.txt`, ask: unwraps(WRAPPINGS['AES/AESKEYWRAP']) },
  { name: `KWP_AE_${bits}.txt`, ask: wraps(WRAPPINGS['AES/AESKEYWRAPPADDING']) },
  { name: `KWP_AD_${bits}.txt`, ask: unwraps(WRAPPINGS['AES/AESKEYWRAPPADDING']) },
])

export const FILES: readonly ResponseFile[] = [
  { name: 'gcmDecrypt256.rsp', ask: gcmDecrypt },
  { name: 'gcmEncryptExtIV256.rsp', ask: gcmEncrypt },
  ...keyWraps,
  { name: 'SigVer15_186-3.rsp', ask: rsaVerify },
  { name: 'ecdsa-SigVer.rsp', ask: ecdsaVerify },
]
