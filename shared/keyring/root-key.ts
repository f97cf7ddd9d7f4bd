import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { environment } from '../base/environment.ts'
import { Refusal } from '../base/errors.ts'
import { SecretBytes } from '../crypto/secret-bytes.ts'
import { rootKeyContext } from './root-key-context.ts'

const CALL_TIMEOUT_MS = 3_000

let client: KMSClient | undefined
const kms = (): KMSClient => {
  client ??= new KMSClient({
    requestHandler: { connectionTimeout: 1_000, requestTimeout: CALL_TIMEOUT_MS, throwOnRequestTimeout: true },
  })
  return client
}

const unavailable = (cause: unknown): Refusal =>
  new Refusal('UNAVAILABLE', 'The root key did not answer; nothing was changed. Try again.', { cause })

/** A new domain key: its bytes, and the same bytes sealed under the root key. @throws Refusal UNAVAILABLE */
export async function makeDomainKey(domain: string, id: string): Promise<{ key: SecretBytes; sealed: string }> {
  const reply = await kms()
    .send(
      new GenerateDataKeyCommand({
        KeyId: environment().KEYMGR_ROOT_KEY,
        KeySpec: 'AES_256',
        EncryptionContext: rootKeyContext(domain, id),
      }),
    )
    .catch((cause: unknown) => {
      throw unavailable(cause)
    })
  if (reply.Plaintext === undefined || reply.CiphertextBlob === undefined)
    throw new Error('The root key answered without a data key')
  const key = SecretBytes.from(reply.Plaintext)
  reply.Plaintext.fill(0)
  return { key, sealed: Buffer.from(reply.CiphertextBlob).toString('base64') }
}

/** The bytes of a domain key. @throws Refusal UNAVAILABLE, also when it was sealed under another root key */
export async function openDomainKey(domain: string, id: string, sealed: string): Promise<SecretBytes> {
  const reply = await kms()
    .send(
      new DecryptCommand({
        KeyId: environment().KEYMGR_ROOT_KEY,
        CiphertextBlob: Buffer.from(sealed, 'base64'),
        EncryptionContext: rootKeyContext(domain, id),
      }),
    )
    .catch((cause: unknown) => {
      throw unavailable(cause)
    })
  if (reply.Plaintext === undefined) throw new Error('The root key answered without a plaintext')
  const key = SecretBytes.from(reply.Plaintext)
  reply.Plaintext.fill(0)
  return key
}
