import { createPublicKey } from 'node:crypto'
import { algorithmNamed } from '../../crypto/algorithms.ts'
import { exportMaterial } from '../../crypto/material/export-material.ts'
import { importMaterial } from '../../crypto/material/import-material.ts'
import { asKeyObject, generateMaterial, type KeyMaterial } from '../../crypto/key-material.ts'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { requireCertifiable } from '../../crypto/x509/signed.ts'
import { makeRequest } from '../../crypto/x509/request.ts'
import type { Context } from '../../http/context.ts'
import { namesOf } from '../../http/subject-names.ts'
import { pointingAt } from '../../vault/keys/material/material.ts'
import { keyOf } from '../subject.ts'
import type { MadeRequest, MakeRequest } from './model.ts'

/** The private key in the body. @throws Refusal RULE_BROKEN */
async function givenKey(pem: string, password: string | undefined): Promise<KeyMaterial> {
  const read = async (algorithm: string): Promise<KeyMaterial> => importMaterial({ algorithm, material: pem, password })
  const material = await pointingAt('#/privateKeyBytes', () =>
    read('ec').catch((error: unknown) => {
      if (error instanceof Refusal && error.reason === 'RULE_BROKEN') return read('rsa')
      throw error
    }),
  )
  try {
    if (material.objectType !== 'Private Key') throw ruleBroken('privateKeyBytes', 'must be a private key')
    await pointingAt('#/privateKeyBytes', () => requireCertifiable(createPublicKey(asKeyObject(material))))
    return material
  } catch (error) {
    material.bytes.destroy()
    throw error
  }
}

async function newKey({ algorithm = 'ECDSA', size }: Pick<MakeRequest, 'algorithm' | 'size'>): Promise<KeyMaterial> {
  const spec = keyOf({ algorithm, size })
  return spec.algorithm === 'rsa'
    ? generateMaterial(algorithmNamed('rsa'), { sizeBits: spec.size })
    : generateMaterial(algorithmNamed('ec'), { curve: spec.curveid })
}

/**
 * Creates a certificate request, with a new key or a given one, and stores neither. Ours: the password of an encrypted
 * key in the body also encrypts the key in the answer.
 * @throws Refusal RULE_BROKEN for names or a key that a request cannot have; TOO_MANY_REQUESTS
 */
export async function makeCsr({ about, caller }: Context, body: MakeRequest): Promise<MadeRequest> {
  const { password, privateKeyBytes: given, cn } = body
  const material = await (given === undefined ? newKey(body) : givenKey(given, password))
  try {
    const { subject, altNames } = namesOf(body)
    const key = asKeyObject(material)
    const csr = await makeRequest(subject, altNames, key)
    about({ uri: `keymgr:${caller.domain.id}:ca:csr:`, name: cn })
    return { csr, key: await exportMaterial(material, { format: 'pkcs8', password }) }
  } finally {
    material.bytes.destroy()
  }
}
