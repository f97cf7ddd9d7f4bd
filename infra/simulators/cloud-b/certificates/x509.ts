import { createPublicKey, type KeyObject } from 'node:crypto'
import { integer, oid, sequence, set, tagged, type Asn1 } from '../../toolkit/asn1.ts'
import {
  alternativeNames,
  basicConstraints,
  extendedKeyUsage,
  KEY_USAGES,
  keyUsage,
  nameOf,
  publicKeyInfo,
  signed,
  signedCertificate,
} from '../../toolkit/x509.ts'
import { badParameter } from '../wire/errors.ts'

export interface CertificateContent {
  /** Distinguished name as a text, such as `CN=shop.example, O=Shop`. */
  readonly subject: string
  readonly dnsNames: readonly string[]
  readonly emails: readonly string[]
  /** such as `digitalSignature` */
  readonly keyUsage: readonly string[]
  /** Object identifiers of extended uses. */
  readonly ekus: readonly string[]
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  S: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  E: '1.2.840.113549.1.9.1',
}
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'

/** @throws ApiError BadParameter */
export function subjectIn(subject: string): Asn1 {
  const attributes = subject.split(',').map((part) => {
    const [, type = '', value = ''] = /^\s*([A-Za-z]+)\s*=\s*(.+?)\s*$/.exec(part) ?? []
    const attribute = ATTRIBUTES[type.toUpperCase()]
    if (attribute === undefined) throw badParameter(`Property policy has invalid value '${subject}' of subject.`)
    return [attribute, value.replace(/^"(.*)"$/, '$1')] as const
  })
  return nameOf(attributes)
}

/** @throws ApiError BadParameter for an unknown use */
function extensionsOf({ dnsNames, emails, keyUsage: uses, ekus }: CertificateContent): Asn1 {
  const unknown = uses.find((use) => !KEY_USAGES.includes(use))
  if (unknown !== undefined) throw badParameter(`Property policy has invalid value '${unknown}' of key_usage.`)
  return sequence(
    ...alternativeNames({ dns: dnsNames, email: emails }),
    ...(uses.length > 0 ? [keyUsage(uses)] : []),
    ...(ekus.length > 0 ? [extendedKeyUsage(ekus)] : []),
    basicConstraints(false, false),
  )
}

/** A certificate in DER that its own key signs. @param key private @throws ApiError BadParameter */
export function selfSigned(content: CertificateContent, key: KeyObject, from: number, to: number): Buffer {
  const subject = subjectIn(content.subject)
  const validity = { from: new Date(from), to: new Date(to) }
  const extensions = extensionsOf(content)
  return signedCertificate({ issuer: subject, subject, publicKey: createPublicKey(key), ...validity, extensions }, key)
}

/** A certificate request in DER (PKCS #10, RFC 2986). @param key private @throws ApiError BadParameter */
export function certificateRequest(content: CertificateContent, key: KeyObject): Buffer {
  const attribute = sequence(oid(EXTENSION_REQUEST), set(extensionsOf(content)))
  const subject = subjectIn(content.subject)
  return signed(sequence(integer(0), subject, publicKeyInfo(createPublicKey(key)), tagged(0, attribute)), key)
}
