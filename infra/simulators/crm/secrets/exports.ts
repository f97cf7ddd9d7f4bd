import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { HeldOrganization } from '../state/held.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Material as the organization exports it: only it can read the form, and only for the same secret. */
export function exportOf({ exportKey }: HeldOrganization, secretId: string, material: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, exportKey, iv).setAAD(Buffer.from(secretId))
  return Buffer.concat([iv, cipher.update(material), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

/** The material of an export; `undefined` for any other text. */
export function materialIn({ exportKey }: HeldOrganization, secretId: string, bytes: Buffer): Buffer | undefined {
  const tagAt = bytes.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, exportKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(secretId)).setAuthTag(bytes.subarray(tagAt))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, tagAt)), decipher.final()])
  } catch {
    return undefined
  }
}
