import { constants, createHash, createPublicKey, publicEncrypt, randomBytes, verify, type KeyObject } from 'node:crypto'
import type { StoreClient } from './store-client.ts'
import { malformed } from './store-fault.ts'

const HASHES = { SHA_1: 'sha1', SHA_256: 'sha256', SHA_384: 'sha384', SHA_512: 'sha512' } as const
const SIGNING = ['SHA_256', 'SHA_384', 'SHA_512'] as const
const KEY_BYTES = 32

function must(holds: boolean, detail: string): void {
  if (!holds) throw malformed(detail)
}

/**
 * Uses a key of a store in every way that its kind has, and checks results with cryptography of its own.
 * @throws StoreFault
 */
export async function exerciseKey(client: StoreClient, key: string): Promise<void> {
  await client.metadata()
  const { spec, versionId, operations } = await client.keyMetadata(key)
  const { versions, total } = await client.versions(key)
  must(total >= 1 && versions[0]?.id === versionId, 'the newest version is another one')
  const wanted = spec === 'AES_256' ? ['ENCRYPT', 'DECRYPT'] : ['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY']
  must(
    wanted.every((each) => operations.includes(each)),
    'key_ops lacks operations',
  )
  await (spec === 'AES_256' ? exerciseSymmetric(client, key) : exercisePair(client, key))
}

/** Encrypts keys as the platform does, which wraps with these calls. */
async function exerciseSymmetric(client: StoreClient, key: string): Promise<void> {
  for (const aad of [undefined, randomBytes(20)]) {
    const plaintext = randomBytes(KEY_BYTES)
    const sealed = await client.encrypt(key, plaintext, aad)
    must((await client.decrypt(key, sealed)).equals(plaintext), 'decryption returns other bytes')
  }
  const random = await client.randomBytes(key, KEY_BYTES)
  must((await client.decrypt(key, random)).equals(random.plaintext), 'the random bytes decrypt to others')
}

async function exercisePair(client: StoreClient, key: string): Promise<void> {
  const { pem, versionId } = await client.publicKey(key)
  const half = createPublicKey(pem)
  const plaintext = randomBytes(KEY_BYTES)
  for (const [name, oaepHash] of Object.entries(HASHES)) {
    const algorithm = `RSAES_OAEP_${name}`
    const padding = { key: half, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }
    const own = { ciphertext: publicEncrypt(padding, plaintext), versionId }
    for (const sealed of [own, await client.asymmetricEncrypt(key, algorithm, plaintext)])
      must((await client.asymmetricDecrypt(key, algorithm, sealed)).equals(plaintext), `${algorithm} fails`)
  }
  for (const name of SIGNING) await exerciseSigning(client, key, half, name)
}

async function exerciseSigning(client: StoreClient, key: string, half: KeyObject, name: (typeof SIGNING)[number]) {
  const [algorithm, hash, text] = [`RSASSA_PSS_${name}`, HASHES[name], randomBytes(100)]
  const pss = { key: half, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  for (const type of ['RAW', 'DIGEST'] as const) {
    const message = type === 'RAW' ? text : createHash(hash).update(text).digest()
    const { signature, versionId } = await client.sign(key, { algorithm, type, message })
    must(verify(hash, text, pss, signature), `${algorithm} of ${type} does not verify outside`)
    const asked = { algorithm, type, message, signature, versionId }
    must(await client.verify(key, asked), `${algorithm} of ${type} does not verify`)
    const other = randomBytes(message.length)
    must(!(await client.verify(key, { ...asked, message: other })), `${algorithm} verifies another message`)
  }
}
