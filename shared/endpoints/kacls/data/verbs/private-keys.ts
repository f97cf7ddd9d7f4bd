import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Fields } from '../../../../base/json.ts'
import {
  decryptContentKey,
  mostSaltBytes,
  signGivenDigest,
  smimeDecryption,
  smimeSignature,
  type SmimeDecryption,
  type SmimeSignature,
} from '../../../../crypto/protocols/smime-algorithms.ts'
import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import { TAKEOUT } from '../../perimeter-id.ts'
import { assertMayOpen } from '../authorize.ts'
import { verb, type KaclsCall } from '../call.ts'
import { badRequest, forbidden } from '../errors.ts'
import { opened } from '../kek.ts'
import { bytesIn, numberIn, someBytesIn, someTextIn, textIn } from '../message.ts'
import { assertWithin } from '../perimeter.ts'

/** Ours: real requests have 8.3 KiB, more than the reference allows. */
const BLOB_BYTES = 16_384
const CIPHERTEXT_BYTES = 1_024
const LABEL_BYTES = 1_024
const DIGEST_BYTES = 128
const NAME_BYTES = 128
const HASH_BYTES = 64

/** A private key from a blob. */
interface PrivateKey {
  readonly key: KeyObject
  readonly perimeterId: string
}

/** The hash of a public key in a request, and the name of its algorithm. */
interface Hash {
  readonly hash: string | undefined
  readonly algorithm: string | undefined
}

const HASH = 'sha-256'

/** @throws KaclsRefusal BAD_REQUEST for another algorithm, FORBIDDEN for another key */
function assertHashOf(spkiHash: Buffer, { hash, algorithm }: Hash, { record }: KaclsCall): void {
  if (algorithm !== undefined && algorithm.toLowerCase() !== HASH)
    throw badRequest('spki_hash_algorithm must be SHA-256.')
  const given = hash === undefined ? undefined : Buffer.from(hash, 'base64')
  if (algorithm === undefined || given?.equals(spkiHash) !== true) throw forbidden(record, 'spki_hash')
}

/**
 * The private key of a blob, whose public key must have the hash.
 * @throws KaclsRefusal BAD_REQUEST, FORBIDDEN; Refusal CIPHERTEXT_INVALID
 */
const privateKeyIn = (call: KaclsCall, blob: Buffer, hash: Hash): MaybePromise<PrivateKey> =>
  after(opened(call, 'private-key', blob), ([der, perimeter, spkiHash]) => {
    try {
      assertHashOf(spkiHash, hash, call)
      const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
      return { key, perimeterId: perimeter.toString() }
    } finally {
      der.fill(0)
    }
  })

const blobIn = (fields: Fields): Buffer => someBytesIn(fields, 'wrapped_private_key', BLOB_BYTES)

const hashInToken = ({ authorization }: KaclsCall): Hash => ({
  hash: authorization?.spkiHash,
  algorithm: authorization?.spkiHashAlgorithm,
})

interface ToSign {
  readonly blob: Buffer
  readonly algorithm: SmimeSignature
  readonly digest: Buffer
  readonly saltBytes: number | undefined
}

/** @throws KaclsRefusal BAD_REQUEST */
function toSignIn(fields: Fields): ToSign {
  const algorithm = smimeSignature(someTextIn(fields, 'algorithm', NAME_BYTES))
  if (algorithm === undefined) throw badRequest('algorithm must be one of signatures with RSA.')
  const digest = someBytesIn(fields, 'digest', DIGEST_BYTES)
  if (digest.length !== algorithm.digestBytes)
    throw badRequest(`digest must have the ${algorithm.digestBytes} bytes of its hash.`)
  return { blob: blobIn(fields), algorithm, digest, saltBytes: numberIn(fields, 'rsa_pss_salt_length') }
}

/** POST privatekeysign: signs a message, given its digest. */
export const privateKeySign = verb<ToSign, PrivateKey>({
  tokens: { authentication: ['user'], authorization: 'application', roles: ['signer'] },
  message: toSignIn,
  key: (call, { blob }) => privateKeyIn(call, blob, hashInToken(call)),
  use: (call, { algorithm, digest, saltBytes }, { key, perimeterId }) =>
    after(assertWithin(call, perimeterId), () => {
      const most = mostSaltBytes(algorithm, key)
      if (algorithm.scheme === 'rsa-pss' && (saltBytes ?? 0) > most)
        throw badRequest(`rsa_pss_salt_length must be at most ${most} for this key.`)
      return { signature: signGivenDigest(algorithm, key, digest, saltBytes).toString('base64') }
    }),
})

interface ToDecrypt {
  readonly blob: Buffer
  readonly algorithm: SmimeDecryption
  readonly ciphertext: Buffer
  readonly label: Buffer
}

/** @throws KaclsRefusal BAD_REQUEST */
function toDecryptIn(fields: Fields): ToDecrypt {
  const algorithm = smimeDecryption(someTextIn(fields, 'algorithm', NAME_BYTES))
  if (algorithm === undefined) throw badRequest('algorithm must be one of encryption with RSA.')
  return {
    blob: blobIn(fields),
    algorithm,
    ciphertext: someBytesIn(fields, 'encrypted_data_encryption_key', CIPHERTEXT_BYTES),
    label: bytesIn(fields, 'rsa_oaep_label', LABEL_BYTES),
  }
}

function decrypted({ algorithm, ciphertext, label }: ToDecrypt, { key }: PrivateKey): object {
  const bytes = decryptContentKey(algorithm, key, ciphertext, label)
  const answer = { data_encryption_key: bytes.toString('base64') }
  bytes.fill(0)
  return answer
}

/** POST privatekeydecrypt: decrypts the content key of a message. */
export const privateKeyDecrypt = verb<ToDecrypt, PrivateKey>({
  tokens: { authentication: ['user'], authorization: 'application', roles: ['decrypter'] },
  message: toDecryptIn,
  key: (call, { blob }) => privateKeyIn(call, blob, hashInToken(call)),
  use: (call, message, key) => after(assertWithin(call, key.perimeterId), () => decrypted(message, key)),
})

type Takeout = ToDecrypt & { readonly hash: Hash }

/** POST privilegedprivatekeydecrypt: the same for an administrator's export. */
export const privilegedPrivateKeyDecrypt = verb<Takeout, PrivateKey>({
  tokens: { authentication: ['user'] },
  message: (fields) => ({
    ...toDecryptIn(fields),
    hash: {
      hash: textIn(fields, 'spki_hash', HASH_BYTES) || undefined,
      algorithm: textIn(fields, 'spki_hash_algorithm', NAME_BYTES) || undefined,
    },
  }),
  key: (call, { blob, hash }) => {
    assertMayOpen(call)
    return privateKeyIn(call, blob, hash)
  },
  use: (call, message, key) => after(assertWithin(call, TAKEOUT), () => decrypted(message, key)),
})
