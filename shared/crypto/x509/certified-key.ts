import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { exportMaterial } from '../material/export-material.ts'
import { importMaterial } from '../material/import-material.ts'
import { asKeyObject } from '../key-material.ts'
import { spkiOf } from '../public-half.ts'
import { requireCertifiable } from './signed.ts'

/**
 * The private key of a certificate, checked like an imported key.
 * @param pem PKCS #8, PKCS #1 or SEC 1, not encrypted
 * @param publicKey of the certificate
 * @returns PEM, PKCS #8
 * @throws Refusal RULE_BROKEN for a key other than that of the certificate, or of a kind that cannot be certified;
 * TOO_MANY_REQUESTS
 */
export async function certifiedKey(pem: string, publicKey: KeyObject): Promise<string> {
  await requireCertifiable(publicKey)
  const material = await importMaterial({ algorithm: publicKey.asymmetricKeyType, material: pem })
  try {
    if (material.objectType !== 'Private Key') throw new Refusal('RULE_BROKEN', 'material is not a private key')
    if (!spkiOf(asKeyObject(material)).equals(spkiOf(publicKey)))
      throw new Refusal('RULE_BROKEN', 'the private key does not fit the certificate')
    return await exportMaterial(material, { format: 'pkcs8' })
  } finally {
    material.bytes.destroy()
  }
}
