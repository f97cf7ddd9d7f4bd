import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * The stand-in's ciphertext blob: format (1) ‖ key id (16) ‖ key version (4) ‖ salt (16) ‖ ciphertext ‖ tag (16). Each
 * blob has its own key, derived with the salt, so the all-zero iv is used once per key.
 */
const FORMAT = 1
const ID_BYTES = 16
const VERSION_BYTES = 4
const SALT_BYTES = 16
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + VERSION_BYTES + SALT_BYTES
const IV = Buffer.alloc(12)

export type EncryptionContext = Readonly<Record<string, string>>

/**
 * A canonical form: the order of pairs does not matter, as in the real service, so they are sorted, and lengths
 * separate them.
 */
function canonical(context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return Buffer.concat(
    pairs.flat().flatMap((text) => {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

const blobKey = (material: Buffer, salt: Uint8Array) =>
  Buffer.from(hkdfSync('sha256', material, salt, 'keymgr kms stand-in', 32))

export function sealBlob(
  key: { id: string; version: number; material: Buffer },
  plaintext: Uint8Array,
  context: EncryptionContext,
): Buffer {
  const version = Buffer.alloc(VERSION_BYTES)
  version.writeUInt32BE(key.version)
  const salt = randomBytes(SALT_BYTES)
  const header = Buffer.concat([Buffer.of(FORMAT), Buffer.from(key.id.replaceAll('-', ''), 'hex'), version, salt])
  const cipher = createCipheriv('aes-256-gcm', blobKey(key.material, salt), IV)
  cipher.setAAD(Buffer.concat([header, canonical(context)]))
  return Buffer.concat([header, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** @returns id and version of the encrypting key; `undefined` if it is not a blob of this stand-in */
export function readBlob(blob: Buffer): { id: string; version: number } | undefined {
  if (blob.length < HEADER_BYTES + TAG_BYTES || blob[0] !== FORMAT) return undefined
  const hex = blob.toString('hex', 1, 1 + ID_BYTES)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { id, version: blob.readUInt32BE(1 + ID_BYTES) }
}

/** @returns `undefined` for another context or altered bytes */
export function openBlob(material: Buffer, blob: Buffer, context: EncryptionContext): Buffer | undefined {
  const header = blob.subarray(0, HEADER_BYTES)
  const salt = header.subarray(HEADER_BYTES - SALT_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', blobKey(material, salt), IV)
  decipher.setAAD(Buffer.concat([header, canonical(context)]))
  decipher.setAuthTag(blob.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(blob.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
