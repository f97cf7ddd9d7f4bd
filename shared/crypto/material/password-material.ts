import { Refusal } from '../../base/errors.ts'
import { bytesInFormat, exportMaterial } from './export-material.ts'
import { materialFromBytes, type Expected, type MaterialEncoding, type MaterialFormat } from './import-material.ts'
import { algorithmNamed } from '../algorithms.ts'
import type { KeyMaterial } from '../key-material.ts'
import { isUnstructured } from '../object-types.ts'
import { decryptPbes2, encryptPbes2 } from './pbes2.ts'

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

interface Form {
  readonly format?: MaterialFormat | undefined
  readonly encoding?: MaterialEncoding | undefined
  readonly password: string
}

/**
 * Material under a password. A private key in `pkcs8` is an ENCRYPTED PRIVATE KEY that OpenSSL can read: PEM, or DER if
 * `encoding` is given. Ours: other material has the same structure, with AES key wrap as its cipher, which detects a
 * wrong password; the structure is in `encoding`, by default base64.
 * @throws Refusal RULE_BROKEN for a format that this key does not have; TOO_MANY_REQUESTS
 */
export async function exportUnderPassword(
  material: KeyMaterial,
  { format, encoding, password }: Form,
): Promise<{ material: string; encoding?: MaterialEncoding }> {
  if (material.objectType === 'Private Key' && (format ?? 'pkcs8') === 'pkcs8') {
    const text = await exportMaterial(material, { format: 'pkcs8', encoding, password })
    return { material: text, ...(encoding && { encoding }) }
  }
  const bytes = bytesInFormat(material, format)
  const clear = bytes.use((own) => Buffer.from(own))
  bytes.destroy()
  try {
    const encrypted = await encryptPbes2(clear, password, 'kwp')
    return { material: encrypted.toString(encoding ?? 'base64'), encoding: encoding ?? 'base64' }
  } finally {
    clear.fill(0)
  }
}

/**
 * Material that `exportUnderPassword`, or OpenSSL, encrypted under a password.
 * @throws Refusal RULE_BROKEN: another structure, a cipher or rounds that are not accepted, a wrong password;
 * TOO_MANY_REQUESTS
 */
export async function importUnderPassword(
  { password, ...from }: Expected & Omit<Form, 'encoding'>,
  encrypted: Buffer,
): Promise<KeyMaterial> {
  const { bytes, isAuthenticated } = await decryptPbes2(encrypted, password)
  const hasStructure =
    from.objectType === 'Certificate' || !isUnstructured(algorithmNamed(from.algorithm ?? '').objectType)
  if (isAuthenticated || hasStructure) return materialFromBytes({ ...from, bytes })
  bytes.destroy()
  throw broken(
    'material that is no private key must be under AES key wrap with padding, which detects a wrong password',
  )
}
