import { createPublicKey, hash, X509Certificate, type KeyObject } from 'node:crypto'
import { pkcs8Of } from '../../toolkit/key-pairs.ts'
import { pemOf } from '../../toolkit/x509.ts'
import { attributesIn, describeAttributes, describeTags, tagsIn } from '../vaults/attributes.ts'
import type { Body } from '../wire/body.ts'
import { materialOf } from '../keys/byok.ts'
import { describePolicy, PEM, type Policy } from './rules.ts'
import { badParameter, conflict } from '../wire/errors.ts'
import { asNew, joined } from '../vaults/found.ts'
import type { CertificateVersion, HeldCertificate, HeldKey, HeldSecret, HeldVersion } from '../vaults/held.ts'
import { KINDS, type KeySpec } from '../keys/key-specs.ts'
import { makePfx } from './pfx.ts'
import { identifier, type VaultCall } from '../vaults/vault-call.ts'
import { selfSigned, type CertificateContent } from './x509.ts'

/** An issued certificate and its key. */
export interface Finished {
  readonly id: string
  readonly key: KeyObject
  readonly cer: Buffer
  /** the chain above it */
  readonly chain: readonly Buffer[]
  readonly policy: Policy
}

/** Ours: the subject of a certificate without one is its name in the vault. */
export const contentOf = ({ content }: Policy, name: string): CertificateContent =>
  content.subject === '' ? { ...content, subject: `CN=${name}` } : content

/** A certificate according to a policy, signed by its own key. */
export function ownCertificate(policy: Policy, name: string, key: KeyObject, now: number): Buffer {
  const from = new Date(now - 600_000)
  const to = new Date(from)
  to.setUTCMonth(to.getUTCMonth() + policy.months)
  return selfSigned(contentOf(policy, name), key, from.getTime(), to.getTime())
}

const samePublicKey = (cer: Buffer, key: KeyObject): boolean =>
  new X509Certificate(cer).publicKey.equals(createPublicKey(key))

/** @returns the certificate of the key, and the others @throws ApiError BadParameter */
export function leafOf(key: KeyObject, certificates: readonly Buffer[]): { cer: Buffer; chain: readonly Buffer[] } {
  const cer = certificates.find((each) => samePublicKey(each, key))
  if (cer === undefined) throw badParameter('None of the certificates belongs to the private key.')
  return { cer, chain: certificates.filter((each) => each !== cer) }
}

/** Size or curve of an imported key, which vaults must support. @throws ApiError BadParameter */
export function specOf(key: KeyObject, hsm: boolean): KeySpec {
  const family = key.asymmetricKeyType === 'rsa' ? 'RSA' : 'EC'
  const kty = hsm ? (`${family}-HSM` as const) : family
  const { bits, crv } = materialOf(kty, pkcs8Of(key), undefined)
  return { kty, bits, crv }
}

/**
 * The certificate of a name, its key and its secret; a version has the same id in all three. @throws ApiError Conflict
 */
export function partsOf(call: VaultCall): {
  readonly certificate: HeldCertificate
  readonly key: HeldKey
  readonly secret: HeldSecret
} {
  const { vault, name } = call
  const before = {
    certificate: joined(call, 'certificates', name),
    key: joined(call, 'keys', name),
    secret: joined(call, 'secrets', name),
  }
  for (const part of [before.key, before.secret])
    if (part !== undefined && part.managed !== true)
      throw conflict(`The name ${name} belongs to a key or a secret that no certificate manages.`)
  const fresh = { vault: vault.name, name, versions: [], ...asNew(call) }
  return {
    certificate: before.certificate ?? { ...fresh, versions: [], policy: {} },
    key: before.key ?? { ...fresh, versions: [], managed: true },
    secret: before.secret ?? { ...fresh, versions: [], managed: true },
  }
}

/** Adds a version to all three parts. @param body of the request, for attributes and tags */
export function addFinished(
  call: VaultCall,
  body: Body,
  { id, key, cer, chain, policy }: Finished,
): CertificateVersion {
  const { state } = call
  const { certificate, key: keyPart, secret } = partsOf(call)
  const x509 = new X509Certificate(cer)
  const now = state.now()
  const common: HeldVersion = {
    ...{ id, createdAt: now, updatedAt: now },
    enabled: attributesIn(body).enabled,
    nbf: Date.parse(x509.validFrom) / 1000,
    exp: Date.parse(x509.validTo) / 1000,
    tags: tagsIn(body) ?? {},
  }
  const version = { ...common, cer }
  certificate.versions.push(version)
  keyPart.versions.push({
    ...common,
    ...policy.spec,
    ops: KINDS[policy.spec.kty].usualOps,
    exportable: false,
    bytes: pkcs8Of(key),
  })
  secret.versions.push({ ...common, contentType: policy.contentType, value: valueOf(key, [cer, ...chain], policy) })
  certificate.policy = { ...policy }
  state.save('certificates', [certificate])
  state.save('keys', [keyPart])
  state.save('secrets', [secret])
  return version
}

/** The secret's value, which includes the key only if the policy allows its export. */
function valueOf(key: KeyObject, certificates: readonly Buffer[], { contentType, exportable }: Policy): string {
  if (contentType !== PEM) return makePfx(exportable ? pkcs8Of(key) : undefined, certificates).toString('base64')
  const pem = exportable ? key.export({ format: 'pem', type: 'pkcs8' }).toString() : ''
  return pem + certificates.map(pemOf).join('')
}

/**
 * Versions that answers show. Ours: for a name without versions, the pending one without its certificate; other pending
 * versions are not shown.
 */
export const shownVersions = ({ versions, pending }: HeldCertificate): readonly CertificateVersion[] => {
  if (versions.length > 0 || pending === undefined) return versions
  const { version: id, createdAt, tags } = pending
  return [{ id, createdAt, updatedAt: createdAt, enabled: false, tags }]
}

export const policyOf = ({ policy }: HeldCertificate): Policy => policy as unknown as Policy

export const describeItem = (
  { vault }: VaultCall,
  { name }: HeldCertificate,
  version: CertificateVersion,
  id?: string,
): object => ({
  id: identifier(vault, 'certificates', name, id),
  ...(version.cer && { x5t: hash('sha1', version.cer, 'base64url') }),
  attributes: describeAttributes(vault, version),
  ...describeTags(version),
})

/** A version of a certificate in the answers of calls about one certificate. */
export function describeCertificate(
  call: VaultCall,
  certificate: HeldCertificate,
  version: CertificateVersion,
): object {
  const { vault } = call
  const { name, pending } = certificate
  return {
    ...describeItem(call, certificate, version, version.id),
    kid: identifier(vault, 'keys', name, version.id),
    sid: identifier(vault, 'secrets', name, version.id),
    ...(version.cer && { cer: version.cer.toString('base64') }),
    policy: describePolicy(`${identifier(vault, 'certificates', name)}/policy`, policyOf(certificate)),
    ...(pending && { pending: { id: `${identifier(vault, 'certificates', name)}/pending` } }),
  }
}
