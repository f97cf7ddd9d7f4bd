import { BoundedCache } from '../base/bounded-cache.ts'
import { Refusal } from '../base/errors.ts'
import { RecentCache } from '../base/recent-cache.ts'
import { isSignedBy, readCertificate, type CertificateFacts } from '../crypto/x509/certificate.ts'
import { readPathFacts, type PathFacts } from '../crypto/x509/path.ts'
import type { CertificateTrust, TrustedCertificate } from '../identity/certificate-trust.ts'
import { localCas, type StoredLocalCa } from './authorities/store.ts'
import { externalCas, type StoredExternalCa } from './external/store.ts'
import { isOver } from './facts.ts'
import { revocations, serialOf } from './issued/store.ts'
import { namedBy } from './named-by.ts'

/** Ours: as old as a flag of an authority or a revocation may be seen. */
const AGED_MS = 5_000

interface Certificate {
  readonly pem: string
  readonly facts: CertificateFacts
  readonly path: PathFacts
}

/** Ours: characters of certificates that are kept read. */
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

/** @returns undefined for one that no path may have */
const certificateOf = (pem: string): Certificate | undefined =>
  read.use(pem, () => ({ certificate: readAnew(pem), length: pem.length })).certificate

/** Neither certificate changes, so neither does the answer. */
const signatures = new BoundedCache<boolean>(2_000)
const isSigned = (by: Certificate, certificate: Certificate): boolean =>
  signatures.use(`${certificate.facts.sha256Fingerprint} ${by.facts.sha256Fingerprint}`, () =>
    isSignedBy(certificate.pem, by.pem),
  )

const isValidAt = ({ facts: { notBefore, notAfter } }: Certificate, now: Date): boolean =>
  Date.parse(notBefore) <= now.getTime() && !isOver({ notAfter }, now)

/** An authority of a domain that has a certificate. */
interface Authority {
  readonly id: string
  readonly isLocal: boolean
  readonly certificate: Certificate
  readonly parentId: string | undefined
  readonly purpose: StoredLocalCa['purpose']
}

function authorityOf(
  { id, cert, parent_id: parentId, purpose }: StoredLocalCa | StoredExternalCa,
  isLocal: boolean,
): Authority[] {
  const certificate = cert === undefined ? undefined : certificateOf(cert)
  return certificate === undefined ? [] : [{ id, isLocal, certificate, parentId, purpose }]
}

const named = new RecentCache<readonly Authority[]>(1_000, AGED_MS)

/** The authorities of a domain with this subject, local ones first. Four reads at most. */
const authoritiesNamed = (domain: string, subject: string, now: Date): Promise<readonly Authority[]> =>
  named.get(`${domain} ${namedBy(subject)}`, now, async () => {
    const family = namedBy(subject)
    const [local, external] = await Promise.all([
      localCas.members(domain, family).then((ids) => localCas.getMany(domain, ids)),
      externalCas.members(domain, family).then((ids) => externalCas.getMany(domain, ids)),
    ])
    return [
      ...local.flatMap(({ item }) => authorityOf(item, true)),
      ...external.flatMap(({ item }) => authorityOf(item, false)),
    ]
  })

const parents = new RecentCache<Authority | undefined>(1_000, AGED_MS)
const parentOf = (domain: string, id: string, now: Date): Promise<Authority | undefined> =>
  parents.get(`${domain} ${id}`, now, async () => {
    const stored = await externalCas.get(domain, id)
    return stored && authorityOf(stored.item, false)[0]
  })

/** Ours: authorities above the one that issued a certificate. */
const PARENTS_MOST = 8

/** Whether an authority and all that are recorded above it are valid now. @see RFC 5280 §6.1 */
async function holds(domain: string, authority: Authority, now: Date, below = 0): Promise<boolean> {
  const { certificate, parentId } = authority
  const { isAuthority, pathLength, provesClients } = certificate.path
  const fits = isAuthority && provesClients && (pathLength ?? Infinity) >= below
  if (!fits || below > PARENTS_MOST || !isValidAt(certificate, now)) return false
  if (parentId === undefined) return true
  const parent = await parentOf(domain, parentId, now)
  return parent !== undefined && isSigned(parent.certificate, certificate) && holds(domain, parent, now, below + 1)
}

const revoked = new RecentCache<boolean>(2_000, AGED_MS)

/** Ours: external authorities tell no revocations here. Their own end is that they are deleted, or their flag is taken away. */
async function isRevoked(
  domain: string,
  authorities: readonly Authority[],
  serial: string,
  now: Date,
): Promise<boolean> {
  const found = await Promise.all(
    authorities
      .filter(({ isLocal }) => isLocal)
      .map(({ id }) => serialOf(id, serial))
      .map((entry) =>
        revoked.get(`${domain} ${entry}`, now, async () => (await revocations.get(domain, entry)) !== undefined),
      ),
  )
  return found.includes(true)
}

async function trusted(
  domain: string,
  pem: string,
  use: 'client' | 'user',
  now: Date,
): Promise<TrustedCertificate | undefined> {
  const certificate = certificateOf(pem)
  if (certificate === undefined || certificate.path.isAuthority || !certificate.path.provesClients) return undefined
  const { subject, issuer, serialNumber, sha256Fingerprint } = certificate.facts
  // Several may have its issuer's name, and even its issuer's key: a revocation by one of them counts for all.
  const issuers = (await authoritiesNamed(domain, issuer, now)).filter((one) => isSigned(one.certificate, certificate))
  const [isGone, standing] = await Promise.all([
    isRevoked(domain, issuers, serialNumber, now),
    Promise.all(
      issuers.map(
        async (authority) => authority.purpose[`${use}_authentication`] && (await holds(domain, authority, now)),
      ),
    ),
  ])
  const authority = issuers.find((_, at) => standing[at])
  if (authority === undefined || isGone || !isValidAt(certificate, now)) return undefined
  return { authorityId: authority.id, subject, uids: certificate.path.uids, serialNumber, sha256Fingerprint }
}

/** Certificates are judged by the authorities of their domain. */
export const authorityTrust: CertificateTrust = { trusted }
