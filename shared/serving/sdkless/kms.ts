import { callService, type Service } from './call.ts'
import { sdklessEnvironment } from './environment.ts'

const KMS: Service = { name: 'kms', prefix: 'TrentService', contentType: 'application/x-amz-json-1.1' }

/**
 * Decrypts with the deployment's root key. Zero the result after use.
 * @param sealed Base64
 * @throws Refusal UNAVAILABLE; ServiceRefusal for another root key or another context
 */
export async function decryptWithRootKey(
  sealed: string,
  context: Readonly<Record<string, string>>,
  epochMs: number,
): Promise<Buffer> {
  const input = { KeyId: sdklessEnvironment().rootKey, CiphertextBlob: sealed, EncryptionContext: context }
  const { Plaintext } = await callService(KMS, 'Decrypt', input, epochMs)
  if (Plaintext === undefined) throw new Error('The root key answered without a plaintext')
  return Buffer.from(Plaintext, 'base64')
}
