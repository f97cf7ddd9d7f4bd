import { randomBytes, type KeyObject } from 'node:crypto'
import { ciphertextInvalid, decryptGcm, encryptGcm, IV_BYTES, TAG_BYTES } from '../../../crypto/aead.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { freshIv } from '../../../serving/key-use/key-uses.ts'
import { materialOf } from '../../../serving/key-use/key-version.ts'
import { assertMay } from '../../../serving/key-use/may-use.ts'
import { afterBoth, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { Verb } from '../../../serving/pipeline.ts'
import type { KeyedCall } from './admit.ts'
import { badRequest } from './errors.ts'
import { bytesIn, integerIn, memberOf, optionalBytesIn } from './fields.ts'

const PLAINTEXT_BYTES = 65_536
/** Ours: as large as a plaintext. */
const AAD_BYTES = 65_536
const RANDOM_BYTES = [1, 4_096] as const
const NOTHING = Buffer.alloc(0)

/** @throws DatacustRefusal BAD_REQUEST for an RSA key */
function assertAes({ key: { algorithm } }: KeyedCall): void {
  if (algorithm !== 'AES') throw badRequest('The key is not symmetric.')
}

/** Absent, `null` and empty are the same. */
function aadIn({ fields }: KeyedCall): Buffer {
  const aad = optionalBytesIn(fields, 'aad') ?? NOTHING
  if (aad.length > AAD_BYTES) throw badRequest(`aad is longer than ${AAD_BYTES} bytes.`)
  return aad
}

interface Sealing {
  readonly material: KeyObject
  readonly iv: Buffer
}

function sealing(call: KeyedCall): MaybePromise<Sealing> {
  const {
    domain,
    version: { local },
    now,
  } = call
  assertMay(local, 'protect', USAGE.encrypt, now)
  return afterBoth(
    materialOf(domain, local, call),
    () => freshIv(domain, local.id, now),
    (material, iv) => ({ material, iv }),
  )
}

function sealed({ version }: KeyedCall, { material, iv }: Sealing, plaintext: Buffer, aad: Buffer) {
  const { ciphertext, tag } = encryptGcm(material, plaintext, iv, aad)
  return {
    ciphertext: ciphertext.toString('base64'),
    iv: iv.toString('base64'),
    tag: tag.toString('base64'),
    ...(aad.length > 0 && { aad: aad.toString('base64') }),
    key_version_id: version.id,
  }
}

interface Plain {
  readonly plaintext: Buffer
  readonly aad: Buffer
}

/** POST …/symmetric-encrypt. The iv is always ours: a caller's could repeat one. */
export const symmetricEncrypt: Verb<KeyedCall, Plain, Sealing> = {
  read: (call) => {
    assertAes(call)
    if (memberOf(call.fields, 'iv') !== undefined) throw badRequest('iv must be absent.')
    return { plaintext: bytesIn(call.fields, 'plaintext', PLAINTEXT_BYTES), aad: aadIn(call) }
  },
  key: sealing,
  use: (call, { plaintext, aad }, parts) => sealed(call, parts, plaintext, aad),
}

interface Sealed {
  readonly ciphertext: Buffer
  readonly iv: Buffer
  readonly tag: Buffer
  readonly aad: Buffer
}

/** POST …/symmetric-decrypt. Wrong lengths are refused like a wrong tag. */
export const symmetricDecrypt: Verb<KeyedCall, Sealed, KeyObject> = {
  read: (call) => {
    assertAes(call)
    const { fields } = call
    const [ciphertext, iv, tag] = [bytesIn(fields, 'ciphertext'), bytesIn(fields, 'iv'), bytesIn(fields, 'tag')]
    const aad = aadIn(call)
    if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES || ciphertext.length > PLAINTEXT_BYTES)
      throw ciphertextInvalid()
    return { ciphertext, iv, tag, aad }
  },
  key: (call) => {
    const { local } = call.version
    assertMay(local, 'process', USAGE.decrypt, call.now)
    return materialOf(call.domain, local, call)
  },
  use: ({ version }, { ciphertext, iv, tag, aad }, key) => {
    const plaintext = decryptGcm(key, { ciphertext, tag }, iv, aad)
    const answer = { plaintext: plaintext.toString('base64'), key_version_id: version.id }
    plaintext.fill(0)
    return answer
  },
}

/** POST …/generate-random-bytes: the bytes, and the same encrypted without additional data. */
export const generateRandomBytes: Verb<KeyedCall, number, Sealing> = {
  read: (call) => {
    assertAes(call)
    const length = integerIn(call.fields, 'length', RANDOM_BYTES)
    if (length === undefined) throw badRequest('length is required.')
    return length
  },
  key: sealing,
  use: (call, length, parts) => {
    const plaintext = randomBytes(length)
    const answer = { plaintext: plaintext.toString('base64'), ...sealed(call, parts, plaintext, NOTHING) }
    plaintext.fill(0)
    return answer
  },
}
