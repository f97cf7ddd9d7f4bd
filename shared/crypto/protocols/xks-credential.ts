import { randomBytes, randomInt } from 'node:crypto'
import { SecretBytes } from '../secret-bytes.ts'

/** Access key ids have 20 to 30 of these characters; 26 of five bits each are 130 random bits. */
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const ID_LENGTH = 26
const SECRET_BYTES = 32

export interface NewCredential {
  /** 26 characters of `A-Z2-7` */
  readonly accessKeyId: string
  /** 44 characters of Base64 text (32 random bytes); the text itself is the secret, in UTF-8 */
  readonly secretAccessKey: SecretBytes
}

/** A new credential pair for an external key store. The id reveals nothing about the secret. */
export function newCredential(): NewCredential {
  const accessKeyId = Array.from({ length: ID_LENGTH }, () => ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length))).join(
    '',
  )
  const random = randomBytes(SECRET_BYTES)
  const secretAccessKey = SecretBytes.from(Buffer.from(random.toString('base64')))
  random.fill(0)
  return { accessKeyId, secretAccessKey }
}
