import { BoundedCache } from '../base/bounded-cache.ts'
import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { RecentCache } from '../base/recent-cache.ts'
import { isSignedBy, readCertificate, type CertificateFacts } from '../crypto/x509/certificate.ts'
import { readPathFacts, type PathFacts } from '../crypto/x509/path.ts'
import type { CertificateTrust, TrustedCertificate } from '../identity/certificate-trust.ts'
import { localCas, type StoredLocalCa } from './authorities/store.ts'
import { isOfClient } from './clients/client-certificates.ts'
import { externalCas, type StoredExternalCa } from './external/store.ts'
import { isOver } from './facts.ts'
import { issuedCertificates, revocations, serialOf } from './issued/store.ts'
import { authoritiesOfSubject } from './named.ts'

/** Ours: maximum age of a cached flag of an authority, or of a cached revocation. */
const AGED_MS = 5_000

interface Certificate {
  readonly pem: string
  readonly facts: CertificateFacts
  readonly path: PathFacts
}

/** Ours: maximum characters of parsed certificates in the cache. */
const READ_MOST = { most: 4_000_000, of: ({ length }: { readonly length: number }) => length }
const read = new BoundedCache<{ readonly certificate: Certificate | undefined; readonly length: number }>(
  2_000,
  READ_MOST,
)

function readAnew(pem: string): Certificate | undefined {
  const path = readPathFacts(pem)
  if (path === undefined) return undefined
  try {
    return { pem, path, facts: readCertificate(pem) }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** @returns undefined for a certificate that cannot be in a path */
const certificateOf = (pem: string): Certificate | undefined =>
  read.use(pem, () => ({ certificate: readAnew(pem), length: pem.length })).certificate

/** Neither certificate changes, so the result does not change. */
const signatures = new BoundedCache<boolean>(2_000)
const isSigned = (by: Certificate, certificate: Certificate): boolean =>
  signatures.use(`${certificate.facts.sha256Fingerprint} ${by.facts.sha256Fingerprint}`, () =>
    isSignedBy(certificate.pem, by.pem),
  )

const isValidAt = ({ facts: { notBefore, notAfter } }: Certificate, now: Date): boolean =>
  Date.parse(notBefore) <= now.getTime() && !isOver({ notAfter }, now)

/** An authority that has a certificate. */
interface Authority {
  readonly id: string
  readonly domain: string
  readonly isLocal: boolean
  readonly certificate: Certificate
  readonly parentId: string | undefined
  readonly purpose: StoredLocalCa['purpose']
}

function authorityOf(
  domain: string,
  { id, cert, parent_id: parentId, purpose }: StoredLocalCa | StoredExternalCa,
  isLocal: boolean,
): Authority[] {
  const certificate = cert === undefined ? undefined : certificateOf(cert)
  return certificate === undefined ? [] : [{ id, domain, isLocal, certificate, parentId, purpose }]
}

const named = new RecentCache<readonly Authority[]>(1_000, AGED_MS)

/** The authorities of a domain with this subject, local ones first. */
const authoritiesNamed = (domain: string, subject: string, now: Date): Promise<readonly Authority[]> =>
  named.get(`${domain} ${subject}`, now, async () => {
    const [local, external] = await Promise.all([
      authoritiesOfSubject(localCas, domain, subject),
      authoritiesOfSubject(externalCas, domain, subject),
    ])
    return [
      ...local.flatMap(({ item }) => authorityOf(domain, item, true)),
      ...external.flatMap(({ item }) => authorityOf(domain, item, false)),
    ]
  })

/** The authorities of a domain that signed a certificate. */
const signersIn = async (domain: string, certificate: Certificate, now: Date): Promise<Authority[]> =>
  (await authoritiesNamed(domain, certificate.facts.issuer, now)).filter((one) =>
    isSigned(one.certificate, certificate),
  )

const isSelfIssued = ({ facts: { subject, issuer } }: Certificate): boolean => subject === issuer

/**
 * The local authorities that signed an authority's certificate, in its domain and in the root domain, which contains
 * the parents of other domains' authorities. None for a self-signed one.
 */
async function localSignersOf({ domain, certificate }: Authority, now: Date): Promise<Authority[]> {
  if (isSelfIssued(certificate)) return []
  const found = await Promise.all([...new Set([domain, ROOT_DOMAIN_ID])].map((one) => signersIn(one, certificate, now)))
  return found.flat().filter(({ isLocal }) => isLocal)
}

const parents = new RecentCache<Authority | undefined>(1_000, AGED_MS)
const parentOf = (domain: string, id: string, now: Date): Promise<Authority | undefined> =>
  parents.get(`${domain} ${id}`, now, async () => {
    const stored = await externalCas.get(domain, id)
    return stored && authorityOf(domain, stored.item, false)[0]
  })

const revoked = new RecentCache<boolean>(2_000, AGED_MS)

/**
 * Ours: revocations by external authorities are not known here. Instead, such an authority is deleted, or its flag is
 * cleared.
 */
async function isRevoked(issuers: readonly Authority[], { facts }: Certificate, now: Date): Promise<boolean> {
  const found = await Promise.all(
    issuers
      .filter(({ isLocal }) => isLocal)
      .map(({ id, domain }) => {
        const entry = serialOf(id, facts.serialNumber)
        return revoked.get(`${domain} ${entry}`, now, async () => (await revocations.get(domain, entry)) !== undefined)
      }),
  )
  return found.includes(true)
}

/** Ours: maximum number of authorities above the issuer of a certificate. */
const PARENTS_MOST = 8

/** The certificates below an authority in a path. */
interface Below {
  readonly certificates: number
  /** number of these certificates that count against a path length: those of authorities, except self-issued ones */
  readonly counted: number
}

/**
 * Whether an authority and all its recorded parents are valid now, and no local authority revoked any of them. Ours: an
 * authority without a recorded parent is trusted by itself.
 * @see RFC 5280 §6.1
 */
async function holds(
  authority: Authority,
  now: Date,
  below: Below = { certificates: 0, counted: 0 },
): Promise<boolean> {
  const { domain, certificate, parentId } = authority
  const { isAuthority, pathLength, provesClients } = certificate.path
  const fits = isAuthority && provesClients && (pathLength ?? Infinity) >= below.counted
  if (!fits || below.certificates > PARENTS_MOST || !isValidAt(certificate, now)) return false
  const signers = await localSignersOf(authority, now)
  if (await isRevoked(signers, certificate, now)) return false
  const above = {
    certificates: below.certificates + 1,
    counted: below.counted + (isSelfIssued(certificate) ? 0 : 1),
  }
  if (parentId !== undefined) {
    const parent = await parentOf(domain, parentId, now)
    return parent !== undefined && isSigned(parent.certificate, certificate) && holds(parent, now, above)
  }
  if (!authority.isLocal || signers.length === 0) return true
  return (await Promise.all(signers.map((signer) => holds(signer, now, above)))).includes(true)
}

const ofClients = new RecentCache<boolean>(2_000, AGED_MS)
const ofClient = (fingerprint: string, now: Date): Promise<boolean> =>
  ofClients.get(fingerprint, now, () => isOfClient(fingerprint))

async function trusted(
  domain: string,
  pem: string,
  use: 'client' | 'user',
  now: Date,
): Promise<TrustedCertificate | undefined> {
  const certificate = certificateOf(pem)
  if (certificate === undefined || certificate.path.isAuthority || !certificate.path.provesClients) return undefined
  const { subject, serialNumber, sha256Fingerprint, notBefore } = certificate.facts
  if (use === 'user' && (await ofClient(sha256Fingerprint, now))) return undefined
  // several authorities may have its issuer's name, and even its issuer's key: a revocation by any of them counts
  const issuers = await signersIn(domain, certificate, now)
  const [isGone, standing] = await Promise.all([
    isRevoked(issuers, certificate, now),
    Promise.all(
      issuers.map(async (authority) => authority.purpose[`${use}_authentication`] && (await holds(authority, now))),
    ),
  ])
  const authority = issuers.find((_, at) => standing[at])
  if (authority === undefined || isGone || !isValidAt(certificate, now)) return undefined
  return { authorityId: authority.id, subject, uids: certificate.path.uids, serialNumber, sha256Fingerprint, notBefore }
}

/** Ours: a certificate of a local authority without a record is not by an administrator. */
async function isByAdmin(domain: string, { authorityId, serialNumber }: TrustedCertificate): Promise<boolean> {
  if ((await localCas.get(domain, authorityId)) === undefined) return true
  const stored = await issuedCertificates.find(domain, 'serial', serialOf(authorityId, serialNumber))
  return stored?.item.by_admin === true
}

/** The authorities of a domain verify its certificates. */
export const authorityTrust: CertificateTrust = { trusted, isByAdmin }
