import { createPublicKey, type KeyObject } from 'node:crypto'
import { ruleBroken, type Refusal } from '../../../base/errors.ts'
import { Unreadable } from '../../../cloud/adapter/failures.ts'
import { certificatesOf } from './certificates.ts'
import { calling } from './client.ts'
import { failureIn, failures } from './errors.ts'
import type { CrmCertificateParam, CrmPlace } from './types.ts'

const RSA_BITS = 4_096
const POINTER = '#/certificate_id'
const refused = (detail: string): Refusal => ruleBroken('certificate_id', detail, POINTER)

/** The rules for certificates that wrap keys of the organization. */
interface Use {
  /** for a cache-only key: the cloud decrypts it there, so its private key must stay there */
  readonly isRemote: boolean
  readonly now: Date
}

/** @throws Refusal RULE_BROKEN for a certificate that cannot wrap keys */
export function assertWraps(certificate: CrmCertificateParam, { isRemote, now }: Use): void {
  const { key_size, platform_encryption, exportable, is_unusable, expires_at } = certificate
  if (key_size !== RSA_BITS) throw refused(`must be of an RSA key of ${RSA_BITS} bits`)
  if (!platform_encryption) throw refused('must be one that the cloud encrypts with its platform encryption')
  if (isRemote && exportable) throw refused('must have a private key that cannot be exported')
  if (is_unusable) throw refused('must have its signed chain in the cloud')
  if (expires_at !== undefined && Date.parse(expires_at) <= now.getTime()) throw refused('must not have expired')
}

/** The organization's certificate of a unique name, as it is now. @throws Refusal RULE_BROKEN when it has none */
export async function certificateNamed(place: CrmPlace, name: string): Promise<CrmCertificateParam> {
  const found = (await certificatesOf(place)).find(({ param }) => param.name === name)
  if (found === undefined) throw refused('must be a certificate that the organization still has')
  return found.param
}

/** The chain is PEM; the cloud may quote it as JSON. */
function keyIn(text: string): KeyObject {
  try {
    const pem = text.startsWith('"') ? String(JSON.parse(text)) : text
    return createPublicKey(pem)
  } catch (error) {
    throw new Unreadable('a certificate that cannot be read', { cause: error })
  }
}

/** The public key of a certificate. @throws Refusal RULE_BROKEN for another kind of key; CLOUD_… */
export async function wrappingKey(
  place: CrmPlace,
  { crm_certificate_id: id }: CrmCertificateParam,
): Promise<KeyObject> {
  const path = `/services/data/v${place.connection.api_version}/tooling/sobjects/Certificate/${id}/CertificateChain`
  const headers = { accept: '*/*' }
  const key = await calling(place, { method: 'GET', path, headers }, ({ status, text }) => {
    if (status === 200) return keyIn(text)
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      json = undefined
    }
    throw failureIn(json, status, undefined)
  }).catch((error: unknown) => {
    throw failures.refusalFrom(error, place.budget)
  })
  const { asymmetricKeyType, asymmetricKeyDetails } = key
  if (asymmetricKeyType !== 'rsa' || asymmetricKeyDetails?.modulusLength !== RSA_BITS)
    throw refused(`must be of an RSA key of ${RSA_BITS} bits`)
  return key
}
